/** The plans of a game: added, changed and deleted. */
import type { Api, Game, Plan } from '../api.ts';
import { Item } from '../item.tsx';
import { named } from '../named.tsx';
import { type Read, readUnchanged } from '../shared-form.tsx';
import { Actions, type Opener } from './admin-list.tsx';
import { type Fields, ItemDialog } from './item-dialog.tsx';

export interface GameProps {
  game: Game;
  opener: Opener;
}

/** A game and its plans are one document, which is read before it is written over. */
export const readGame =
  (slug: string): Read<Game> =>
  async (api, context) =>
    (await api.admin.getGame.query({ slug }, { context })).game;

/** Writes what `change` makes of a game that is as it is shown. */
export async function putChanged(api: Api, { game, opener }: GameProps, change: (current: Game) => Game) {
  const reading = { shown: game, read: readGame(game.slug), onChanged: opener.onChanged };
  const { current, context } = await readUnchanged(api, reading);
  await api.admin.putGame.mutate(change(current), { context });
}

export function Plans({ game, opener }: GameProps) {
  const { title: ofGame, plans } = game;
  const remove = ({ title }: Plan, index: number) =>
    opener.ask({
      title: named`Delete the plan ${title}?`,
      text: named`It is no longer sold with ${ofGame}. Subscriptions of customers stay as they are.`,
      verb: 'Delete plan',
      isDangerous: true,
      act: (api) =>
        putChanged(api, { game, opener }, (current) => ({
          ...current,
          plans: current.plans.toSpliced(index, 1),
        })),
      done: named`The plan ${title} is deleted.`,
    });
  if (plans.length === 0) return null;
  return (
    <ul aria-label={`Plans of ${ofGame}`}>
      {plans.map((plan, index) => (
        <PlanItem
          key={index}
          plan={plan}
          onEdit={() => opener.show(<PlanDialog {...{ game, opener, index }} />)}
          onDelete={() => remove(plan, index)}
        />
      ))}
    </ul>
  );
}

interface PlanProps {
  plan: Plan;
  onEdit(): void;
  onDelete(): void;
}

const PlanItem = ({ plan: { title, price, period, popular }, onEdit, onDelete }: PlanProps) => (
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
      <Actions
        of={[
          { label: 'Edit', about: `the plan ${title}`, onAct: onEdit },
          { label: 'Delete', about: `the plan ${title}`, isDangerous: true, onAct: onDelete },
        ]}
      />
    }
  />
);

const fields: Fields = [
  { name: 'title', label: 'Title', missing: 'Give the plan a title.', maxLength: 200 },
  {
    name: 'price',
    label: 'Price',
    hint: 'As it is shown, such as 9.99 €.',
    missing: 'Give the plan a price.',
    maxLength: 100,
  },
  {
    name: 'period',
    label: 'Period',
    hint: 'That the price is for.',
    missing: 'Say what the price is for, such as month.',
    maxLength: 100,
    preset: 'month',
  },
  { name: 'subtitle', label: 'Subtitle', maxLength: 200 },
  {
    name: 'features',
    label: 'What it includes',
    hint: 'A line for each, such as 6 GB memory.',
    rows: 4,
    maxLength: 20_000,
    empty: 'list',
  },
  { name: 'popular', label: 'Popular', box: 'Highlight it among the plans' },
  {
    name: 'billingId',
    label: 'Price at the payment provider',
    hint: 'Its reference, such as price_iron_monthly. May stay empty.',
    maxLength: 200,
    empty: null,
  },
];

interface DialogProps extends GameProps {
  /** Of the plan among those of the game; left out: a new one. */
  index?: number;
}

/** The plan that the dialog is about, where it is now. */
const indexIn = ({ plans }: Game, plan: Plan | undefined): number =>
  plan ? plans.findIndex(({ title, billingId }) => title === plan.title && billingId === plan.billingId) : -1;

export function PlanDialog({ game: opened, opener, index }: DialogProps) {
  const plan = index === undefined ? undefined : opened.plans[index];
  return (
    <ItemDialog
      opened={opened}
      read={readGame(opened.slug)}
      title={(game) =>
        plan ? named`Edit the plan ${plan.title}` : named`Add a plan to ${(game ?? opened).title}`
      }
      valuesOf={(game) => game.plans[indexIn(game, plan)] ?? plan}
      label={plan ? 'Save' : 'Add plan'}
      draft={`plan-${opened.slug}-${plan ? JSON.stringify([plan.title, plan.billingId]) : ''}`}
      fields={fields}
      onChanged={opener.onChanged}
      save={async (api, given, over) => {
        const current = over.current ?? opened;
        const changed = given as Plan; // as the fields are
        const at = current.plans.length === opened.plans.length ? (index ?? -1) : indexIn(current, plan);
        const plans = at < 0 ? [...current.plans, changed] : current.plans.with(at, changed);
        await api.admin.putGame.mutate({ ...current, plans }, { context: over.context });
        return plan
          ? named`The plan ${changed.title} is changed.`
          : named`The plan ${changed.title} is added.`;
      }}
    />
  );
}
