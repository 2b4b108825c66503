/** The dialogs over a game. */
import type { Api, Game } from '../api.ts';
import { ConfirmDialog, FormDialog } from '../dialog.tsx';
import { InputField, TextField } from '../field.tsx';
import { type FormField, type Problems, textOf, trimmedOf } from '../form.tsx';
import { named } from '../named.tsx';
import { type Over, type Read, SharedFormDialog } from '../shared-form.tsx';

/** Of a dialog over a game that there is. */
export interface GameProps {
  game: Game;
  onChanged(): Promise<unknown>;
}

interface AddProps {
  /** All that there are. */
  games: readonly Game[];
  onChanged(): Promise<unknown>;
}

export function AddGameDialog({ games, onChanged }: AddProps) {
  const add = async (api: Api, values: FormData) => {
    const request = { ...gameOf(values), slug: trimmedOf(values, 'slug'), active: false };
    const { title } = (await api.admin.putGame.mutate(request)).game;
    await onChanged();
    return named`${title} is added, and hidden until you publish it.`;
  };
  return (
    <FormDialog
      title="Add a game"
      label="Add game"
      draft="game-"
      fields={[titleField, slugField]}
      places={places}
      check={(values) => slugProblem(values, games)}
      send={add}
    >
      {(problems) => <TextFields problems={problems} />}
    </FormDialog>
  );
}

/** For what is read before it is written over. */
export const readGame =
  (slug: string): Read<Game> =>
  async (api, context) =>
    (await api.admin.getGame.query({ slug }, { context })).game;

export function EditGameDialog({ game: opened, onChanged }: GameProps) {
  const save = async (api: Api, values: FormData, { current, context }: Over<Game>) => {
    const changed = { ...current, ...gameOf(values) };
    await api.admin.putGame.mutate(changed, { context });
    await onChanged();
    return named`${changed.title} is changed.`;
  };
  return (
    <SharedFormDialog
      opened={opened}
      read={readGame(opened.slug)}
      label="Save"
      draft={`game-${opened.slug}`}
      places={places}
      save={save}
      form={(game) => ({
        title: named`Edit ${game.title}`,
        fields: [{ ...titleField, defaultValue: game.title }],
        children: (problems) => <TextFields game={game} problems={problems} />,
      })}
    />
  );
}

const places = ['description', 'shortDesc'];

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
  /** Undefined for a new one. */
  game?: Game | undefined;
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
