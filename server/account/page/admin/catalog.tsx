/** Administrators add, edit, publish, hide and delete the games that the host sells, and their plans. */
import type { Api, Game, Plan } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { type Fields, listBy, orNull, trimmedOf } from '../fields.tsx';
import { FailureNotice } from '../form.tsx';
import { Item } from '../item.tsx';
import type { RequestInput } from '../requests.ts';
import { useAction, useShell } from '../shell.ts';
import { withNames } from '../text.tsx';
import { AdminList, type Opener } from './admin-list.tsx';
import { ItemDialog, type Read, readUnchanged } from './item-dialog.tsx';

const readGames = async (api: Api) => ({ items: (await api.admin.listGames.query()).games, hasMore: false });

export const CatalogView = () => (
  <AdminList
    title="Catalog"
    lede="The games that you sell. Your web site and all keys can read the published ones."
    label="Games"
    read={readGames}
    create={{
      label: 'Create game',
      first: 'Create the first game',
      dialog: (games, onChanged) => <GameDialog game={null} {...{ games, onChanged }} />,
    }}
    blank={{
      icon: 'tag',
      title: 'No games',
      text: (
        <>
          Create the first one; your web site and programs read it from the{' '}
          <a href="/api/v1/docs#operations-tag-Catalog">catalog in the API</a>
        </>
      ),
    }}
    item={(game, opener) => <GameItem key={game.slug} {...{ game, opener }} />}
  />
);

type GameProps = { game: Game; opener: Opener };

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
        <code class="note">{game.slug}</code>
        {game.shortDesc && <p dir="auto">{game.shortDesc}</p>}
      </>
    }
    actions={<GameActions {...{ game, opener }} />}
  >
    {game.plans.length > 0 && (
      <ul aria-label={`Plans of ${game.title}`}>
        {game.plans.map((_, index) => (
          <PlanItem key={index} {...{ game, opener, index }} />
        ))}
      </ul>
    )}
  </Item>
);

/** A game and its plans are one document, so a write of any part first reads all of it. */
const readGame =
  (slug: string): Read<Game> =>
  async (api, context) =>
    (await api.admin.getGame.query({ slug }, { context })).game;

async function putChanged(api: Api, { game, opener }: GameProps, change: (current: Game) => Game) {
  const reading = { shown: game, read: readGame(game.slug), onChanged: opener.onChanged };
  const { current, context } = await readUnchanged(api, reading);
  await api.admin.putGame.mutate(change(current), { context });
}

function GameActions({ game, opener }: GameProps) {
  const { api, notify } = useShell();
  const action = useAction();
  const { title: about, active } = game;
  const { show, ask, onChanged } = opener;
  const toggle = () =>
    action.run(async () => {
      await putChanged(api, { game, opener }, (current) => ({ ...current, active: !active }));
      await onChanged();
      notify(active ? withNames`${about} is hidden.` : withNames`${about} is published.`);
    });
  const edit = () => show(<GameDialog {...{ game, onChanged }} />);
  const addPlan = () => show(<PlanDialog {...{ game, opener }} />);
  const remove = () => ask(deletion(game));
  return (
    <>
      <ActionButton
        icon={active ? 'stop' : 'play'}
        label={active ? 'Hide' : 'Publish'}
        about={about}
        isBusy={action.isBusy}
        onAct={toggle}
      />
      <ActionButton icon="edit" label="Edit" about={about} onAct={edit} />
      <ActionButton icon="plus" label="Create plan" about={`for ${about}`} onAct={addPlan} />
      <ActionButton icon="trash" label="Delete" about={about} isDangerous onAct={remove} />
      <FailureNotice of={action} />
    </>
  );
}

const deletion = ({ slug, title }: Game) => ({
  title: withNames`Delete ${title}?`,
  text: 'Its plans are deleted too. This cannot be undone. Hide the game instead if you want to keep it.',
  verb: 'Delete game',
  isDangerous: true,
  act: (api: Api) => api.admin.deleteGame.mutate({ slug }),
  done: withNames`${title} is deleted.`,
});

const titleField = { name: 'title', label: 'Title', missing: 'Give the game a title.' } as const;

const slugField = {
  name: 'slug',
  label: 'Slug',
  hint: 'Its name in addresses, such as minecraft. You cannot change it later.',
  missing: 'Give the game a slug.',
  wrong: 'Use letters, digits, dots, underscores and hyphens. Begin with a letter or digit.',
  spellcheck: false,
} as const;

const further = [
  { name: 'shortDesc', label: 'In one sentence', rows: 2, read: orNull },
  { name: 'description', label: 'Description', rows: 5, read: orNull },
  { name: 'category', label: 'Category', hint: 'Such as Survival.', read: orNull },
  { name: 'priceFrom', label: 'Price from', hint: 'Such as €4.99.', read: orNull },
  {
    summary: 'Images',
    fields: [
      <p key="note" class="note">
        Names or addresses, as your web site expects them.
      </p>,
      { name: 'icon', label: 'Icon', read: orNull },
      { name: 'cover', label: 'Cover', read: orNull },
      { name: 'banner', label: 'Banner', read: orNull },
      { name: 'pricingBackground', label: 'Background of the plans', read: orNull },
    ],
  },
] as const satisfies Fields;

interface DialogProps extends Pick<Opener, 'onChanged'> {
  game: Game | null;
  games?: readonly Game[];
}

const GameDialog = ({ game: opened, games = [], onChanged }: DialogProps) => (
  <ItemDialog
    opened={opened}
    read={opened ? readGame(opened.slug) : async () => null}
    title={(game) => (game ? withNames`Edit ${game.title}` : 'Create game')}
    label={opened ? 'Save' : 'Create game'}
    draft={`game-${opened?.slug ?? ''}`}
    request="admin.putGame"
    fields={[titleField, !opened && slugField, ...further]}
    check={(values) => takenSlug(trimmedOf(values, 'slug'), games)}
    onChanged={onChanged}
    save={async (api, given, { current, context }) => {
      const changed = { active: false, ...current, ...given };
      await api.admin.putGame.mutate(changed, { context });
      return opened
        ? withNames`${changed.title} is changed.`
        : withNames`${changed.title} is created. It is hidden until you publish it.`;
    }}
  />
);

const takenSlug = (slug: string, games: readonly Game[]) =>
  games.some((game) => game.slug === slug)
    ? { slug: 'Another game has this slug. Choose a different one.' }
    : {};

interface PlanProps extends GameProps {
  index?: number;
}

function PlanItem({ game, opener, index = 0 }: PlanProps) {
  const { title = '', price, period, popular } = game.plans[index] ?? {};
  const about = `the plan ${title}`;
  const edit = () => opener.show(<PlanDialog {...{ game, opener, index }} />);
  const remove = () =>
    opener.ask({
      title: withNames`Delete the plan ${title}?`,
      text: withNames`You no longer sell it with ${game.title}. The subscriptions of customers do not change.`,
      verb: 'Delete plan',
      isDangerous: true,
      act: (api) =>
        putChanged(api, { game, opener }, (current) => ({
          ...current,
          plans: current.plans.toSpliced(index, 1),
        })),
      done: withNames`The plan ${title} is deleted.`,
    });
  return (
    <Item
      isLine
      title={title}
      about={
        <>
          <span class="note">
            <bdi>{price}</bdi> a <bdi>{period}</bdi>
          </span>
          {popular && <span class="badge is-accent">Popular</span>}
        </>
      }
      actions={
        <>
          <ActionButton label="Edit" about={about} onAct={edit} />
          <ActionButton label="Delete" about={about} isDangerous onAct={remove} />
        </>
      }
    />
  );
}

const planFields = [
  { name: 'title', label: 'Title', missing: 'Give the plan a title.' },
  {
    name: 'price',
    label: 'Price',
    hint: 'As customers see it, such as €9.99.',
    missing: 'Give the plan a price.',
  },
  {
    name: 'period',
    label: 'Period',
    hint: 'The time that the price covers.',
    missing: 'Enter the time that the price covers, such as month.',
    preset: 'month',
  },
  { name: 'subtitle', label: 'Subtitle' },
  {
    name: 'features',
    label: 'What it includes',
    hint: 'One per line, such as 6 GB memory.',
    rows: 4,
    read: listBy(/\n/),
  },
  { name: 'popular', label: 'Popular', box: 'Highlight it among the plans' },
  {
    name: 'billingId',
    label: 'Price at the payment provider',
    hint: 'Its reference, such as price_iron_monthly. Optional.',
    spellcheck: false,
    read: orNull,
  },
] as const satisfies Fields;

/** A plan has no id, so all its fields and its position among equal plans identify it. */
const keyOf = (plan: Plan, index: number, plans: readonly Plan[]) => {
  const text = JSON.stringify(plan);
  return `${text}-${plans.slice(0, index).filter((other) => JSON.stringify(other) === text).length}`;
};

function PlanDialog({ game: opened, opener, index = -1 }: PlanProps) {
  const plan = opened.plans[index];
  const key = plan && keyOf(plan, index, opened.plans);
  /** The plan's current index in the game; -1 if the plan is new or was deleted. */
  const indexIn = ({ plans }: Game) => {
    const same = plans.findIndex((...each) => keyOf(...each) === key);
    if (same >= 0 || plans.length === opened.plans.length) return same < 0 ? index : same;
    return plan ? plans.findIndex(({ title }) => title === plan.title) : -1;
  };
  return (
    <ItemDialog
      opened={opened}
      read={readGame(opened.slug)}
      title={({ title }) =>
        plan ? withNames`Edit the plan ${plan.title}` : withNames`Create plan for ${title}`
      }
      valuesOf={(game) => game.plans[indexIn(game)] ?? plan}
      label={plan ? 'Save' : 'Create plan'}
      draft={`plan-${opened.slug}-${key ?? ''}`}
      request="admin.putGame.plans"
      fields={planFields}
      onChanged={opener.onChanged}
      save={async (api, changed, { current, context }) => {
        const at = indexIn(current);
        const plans: RequestInput<'admin.putGame.plans'>[] = [...current.plans];
        plans.splice(at < 0 ? plans.length : at, 1, changed);
        await api.admin.putGame.mutate({ ...current, plans }, { context });
        return plan
          ? withNames`The plan ${changed.title} is changed.`
          : withNames`The plan ${changed.title} is created.`;
      }}
    />
  );
}
