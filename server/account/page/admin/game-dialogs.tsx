/** The dialogs over a game. */
import type { Api, Game } from '../api.ts';
import { ConfirmDialog, FormDialog } from '../dialog.tsx';
import { InputField, TextField } from '../field.tsx';
import { type FormField, type Problems, textOf, trimmedOf } from '../form.tsx';
import { named } from '../named.tsx';

/** Of a dialog over a game that there is. */
export interface GameProps {
  game: Game;
  onChanged(): Promise<unknown>;
}

interface Props {
  /** Undefined for a new one. */
  game?: Game;
  /** All that there are. */
  games: readonly Game[];
  onChanged(): Promise<unknown>;
}

export function GameDialog({ game, games, onChanged }: Props) {
  const save = async (api: Api, values: FormData) => {
    const slug = game?.slug ?? trimmedOf(values, 'slug');
    const { title } = (await api.admin.putGame.mutate({ ...gameOf(values), ...kept(game), slug })).game;
    await onChanged();
    return game ? named`${title} is changed.` : named`${title} is added, and hidden until you publish it.`;
  };
  return (
    <FormDialog
      title={game ? named`Edit ${game.title}` : 'Add a game'}
      label={game ? 'Save' : 'Add game'}
      draft={`game-${game?.slug ?? ''}`}
      fields={fieldsFor(game)}
      places={['description', 'shortDesc']}
      check={(values) => (game ? {} : slugProblem(values, games))}
      send={save}
    >
      {(problems) => <TextFields game={game} problems={problems} />}
    </FormDialog>
  );
}

/** What the form does not show; a new game is hidden. */
const kept = (game: Game | undefined) => ({ active: game?.active ?? false, plans: game?.plans ?? [] });

const titleField: FormField = {
  name: 'title',
  label: 'Title',
  missing: 'Give the game a title.',
  maxLength: 200,
  autocomplete: 'off',
  autofocus: true,
};

const slugField: FormField = {
  name: 'slug',
  label: 'Slug',
  hint: 'Names it in addresses, such as minecraft. It stays as it is.',
  missing: 'Give the game a slug.',
  maxLength: 100,
  autocomplete: 'off',
  spellcheck: false,
};

const fieldsFor = (game: Game | undefined): FormField[] => [
  { ...titleField, defaultValue: game?.title ?? '' },
  ...(game ? [] : [slugField]),
];

const lines = [
  { name: 'category', label: 'Category', hint: 'Such as Survival.', maxLength: 200 },
  { name: 'priceFrom', label: 'Price from', hint: 'As it is shown, such as 4.99 €.', maxLength: 100 },
] as const;

const images = [
  { name: 'icon', label: 'Icon', maxLength: 2000 },
  { name: 'cover', label: 'Cover', maxLength: 2000 },
  { name: 'banner', label: 'Banner', maxLength: 2000 },
  { name: 'pricingBackground', label: 'Background of the plans', maxLength: 2000 },
] as const;

interface TextProps {
  game: Game | undefined;
  problems: Problems;
}

const TextFields = ({ game, problems }: TextProps) => (
  <>
    <TextField
      label="In one sentence"
      name="shortDesc"
      error={problems['shortDesc']}
      maxLength={1000}
      defaultValue={game?.shortDesc ?? ''}
    />
    <TextField
      label="Description"
      name="description"
      error={problems['description']}
      rows={5}
      maxLength={10_000}
      defaultValue={game?.description ?? ''}
    />
    <div class="field-pair">
      <LineFields fields={lines} game={game} />
    </div>
    <details class="restrictions">
      <summary>Images</summary>
      <p class="note">Names or addresses, as your web site takes them.</p>
      <LineFields fields={images} game={game} />
    </details>
  </>
);

interface LinesProps {
  fields: typeof lines | typeof images;
  game: Game | undefined;
}

const LineFields = ({ fields, game }: LinesProps) => (
  <>
    {fields.map((field) => (
      <InputField key={field.name} {...field} autocomplete="off" defaultValue={game?.[field.name] ?? ''} />
    ))}
  </>
);

function slugProblem(values: FormData, games: readonly Game[]): Problems {
  const slug = trimmedOf(values, 'slug');
  if (slug === '') return {};
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(slug))
    return { slug: 'Letters, digits, dots, underscores and hyphens, and first a letter or digit.' };
  return games.some((game) => game.slug === slug) ? { slug: 'There is a game with this slug.' } : {};
}

/** What the form holds, as the API takes it. */
function gameOf(values: FormData) {
  const orNull = (name: string) => trimmedOf(values, name) || null;
  return {
    title: trimmedOf(values, 'title'),
    shortDesc: orNull('shortDesc'),
    description: textOf(values, 'description').trim() || null,
    category: orNull('category'),
    priceFrom: orNull('priceFrom'),
    icon: orNull('icon'),
    cover: orNull('cover'),
    banner: orNull('banner'),
    pricingBackground: orNull('pricingBackground'),
  };
}

export function DeleteGameDialog({ game: { slug, title }, onChanged }: GameProps) {
  const remove = async (api: Api) => {
    await api.admin.deleteGame.mutate({ slug });
    await onChanged();
    return named`${title} is deleted.`;
  };
  return (
    <ConfirmDialog title={named`Delete ${title}?`} verb="Delete game" isDangerous act={remove}>
      <p>
        The game and its plans are gone, and this cannot be undone. To keep it without showing it, hide it.
      </p>
    </ConfirmDialog>
  );
}
