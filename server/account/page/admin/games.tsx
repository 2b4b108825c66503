/** The games that the host sells, with their plans: added, changed, published and hidden. */
import type { Api, Game } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { FailureNotice, trimmedOf } from '../form.tsx';
import { Item } from '../item.tsx';
import { named } from '../named.tsx';
import { useAction, useShell } from '../shell.ts';
import { Actions, AdminList, type Opener } from './admin-list.tsx';
import { type Fields, ItemDialog } from './item-dialog.tsx';
import { type GameProps, PlanDialog, Plans, putChanged, readGame } from './plans.tsx';

const readGames = async (api: Api) => ({ items: (await api.admin.listGames.query()).games, hasMore: false });

export const CatalogView = () => (
  <AdminList
    title="Catalog"
    lede="The games that you sell. Published ones are read by your web site and by all keys."
    label="Games"
    read={readGames}
    create={{
      label: 'Add a game',
      first: 'Add the first game',
      dialog: (games, onChanged) => <GameDialog {...{ games, onChanged }} />,
    }}
    blank={{
      icon: 'tag',
      title: 'No games',
      text: (
        <>
          Add the first one; your web site and programs read it from the{' '}
          <a href="/api/v1/docs#operations-tag-Catalog">catalog in the API</a>
        </>
      ),
    }}
  >
    {(game, opener) => <GameItem key={game.slug} {...{ game, opener }} />}
  </AdminList>
);

const GameItem = ({ game, opener }: GameProps) => (
  <Item
    title={game.title}
    about={
      <>
        <span class={game.active ? 'badge is-success' : 'badge'}>{game.active ? 'Published' : 'Hidden'}</span>
        {game.priceFrom && (
          <span class="note">
            from <bdi>{game.priceFrom}</bdi>
          </span>
        )}
        <code class="prefix">{game.slug}</code>
        {game.shortDesc && <p dir="auto">{game.shortDesc}</p>}
      </>
    }
    actions={<GameActions {...{ game, opener }} />}
  >
    <Plans {...{ game, opener }} />
  </Item>
);

function GameActions({ game, opener }: GameProps) {
  const { api, notify } = useShell();
  const action = useAction();
  const { title: about, active } = game;
  const { onChanged } = opener;
  const toggle = () =>
    action.run(async () => {
      await putChanged(api, { game, opener }, (current) => ({ ...current, active: !active }));
      await onChanged();
      notify(active ? named`${about} is hidden.` : named`${about} is published.`);
    });
  const edit = () => opener.show(<GameDialog {...{ game, onChanged }} />);
  const addPlan = () => opener.show(<PlanDialog {...{ game, opener }} />);
  return (
    <>
      <ActionButton
        icon={active ? 'stop' : 'play'}
        label={active ? 'Hide' : 'Publish'}
        about={about}
        isBusy={action.isBusy}
        onAct={toggle}
      />
      <Actions
        of={[
          { icon: 'edit', label: 'Edit', about, onAct: edit },
          { icon: 'plus', label: 'Add a plan', about: `to ${about}`, onAct: addPlan },
          {
            icon: 'trash',
            label: 'Delete',
            about,
            isDangerous: true,
            onAct: () => opener.ask(deletion(game)),
          },
        ]}
      />
      <FailureNotice of={action} />
    </>
  );
}

const deletion = ({ slug, title }: Game) => ({
  title: named`Delete ${title}?`,
  text: 'The game and its plans are gone, and this cannot be undone. To keep it without showing it, hide it.',
  verb: 'Delete game',
  isDangerous: true,
  act: (api: Api) => api.admin.deleteGame.mutate({ slug }),
  done: named`${title} is deleted.`,
});

const titleField = { name: 'title', label: 'Title', missing: 'Give the game a title.', maxLength: 200 };

const slugField = {
  name: 'slug',
  label: 'Slug',
  hint: 'Names it in addresses, such as minecraft. It stays as it is.',
  missing: 'Give the game a slug.',
  maxLength: 100,
};

const further: Fields = [
  { name: 'shortDesc', label: 'In one sentence', maxLength: 1000, rows: 2, empty: null },
  { name: 'description', label: 'Description', maxLength: 10_000, rows: 5, empty: null },
  { name: 'category', label: 'Category', hint: 'Such as Survival.', maxLength: 200, empty: null },
  { name: 'priceFrom', label: 'Price from', hint: 'Such as 4.99 €.', maxLength: 100, empty: null },
  {
    summary: 'Images',
    note: 'Names or addresses, as your web site takes them.',
    fields: [
      { name: 'icon', label: 'Icon', maxLength: 2000, empty: null },
      { name: 'cover', label: 'Cover', maxLength: 2000, empty: null },
      { name: 'banner', label: 'Banner', maxLength: 2000, empty: null },
      { name: 'pricingBackground', label: 'Background of the plans', maxLength: 2000, empty: null },
    ],
  },
];

interface DialogProps extends Pick<Opener, 'onChanged'> {
  /** The one to change; undefined: a new one. */
  game?: Game;
  /** All that there are, beside a new one. */
  games?: readonly Game[];
}

const GameDialog = ({ game: opened, games = [], onChanged }: DialogProps) => (
  <ItemDialog
    opened={opened}
    read={opened && readGame(opened.slug)}
    title={(game) => (game ? named`Edit ${game.title}` : 'Add a game')}
    label={opened ? 'Save' : 'Add game'}
    draft={`game-${opened?.slug ?? ''}`}
    fields={[titleField, ...(opened ? [] : [slugField]), ...further]}
    check={(values) => slugProblem(trimmedOf(values, 'slug'), games)}
    onChanged={onChanged}
    save={async (api, given, { current, context }) => {
      const changed = { active: false, ...current, ...given } as Game; // as the fields are
      await api.admin.putGame.mutate(changed, { context });
      return opened
        ? named`${changed.title} is changed.`
        : named`${changed.title} is added, and hidden until you publish it.`;
    }}
  />
);

function slugProblem(slug: string, games: readonly Game[]) {
  if (slug === '') return {};
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(slug))
    return { slug: 'Letters, digits, dots, underscores and hyphens, and first a letter or digit.' };
  return games.some((game) => game.slug === slug) ? { slug: 'There is a game with this slug.' } : {};
}
