/** A game with its plans, and what an administrator can do with it. */
import type { Plan } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { useDialog } from '../dialog.tsx';
import { FailureNotice } from '../form.tsx';
import { Item } from '../item.tsx';
import { named } from '../named.tsx';
import { readUnchanged } from '../shared-form.tsx';
import { useAction, useShell } from '../shell.ts';
import { DeleteGameDialog, EditGameDialog, type GameProps, readGame } from './game-dialogs.tsx';
import { DeletePlanDialog, PlanDialog } from './plan-dialogs.tsx';

export function GameItem({ game, onChanged }: GameProps) {
  const { title, slug, shortDesc, priceFrom, active } = game;
  return (
    <Item
      title={title}
      about={
        <>
          <span class={active ? 'badge is-success' : 'badge'}>{active ? 'Published' : 'Hidden'}</span>
          {priceFrom && (
            <span class="note">
              from <bdi>{priceFrom}</bdi>
            </span>
          )}
          <code class="prefix">{slug}</code>
          {shortDesc && <p dir="auto">{shortDesc}</p>}
        </>
      }
      actions={<GameActions {...{ game, onChanged }} />}
    >
      <Plans {...{ game, onChanged }} />
    </Item>
  );
}

function GameActions({ game, onChanged }: GameProps) {
  const { dialog, show } = useDialog();
  const edit = () => show(<EditGameDialog {...{ game, onChanged }} />);
  const addPlan = () => show(<PlanDialog {...{ game, onChanged }} />);
  const remove = () => show(<DeleteGameDialog {...{ game, onChanged }} />);
  const { action, publish } = usePublishing({ game, onChanged });
  const { title, active } = game;
  return (
    <>
      <ActionButton {...publishTexts(active)} about={title} isBusy={action.isBusy} onAct={publish} />
      <ActionButton icon="edit" label="Edit" about={title} onAct={edit} />
      <ActionButton icon="plus" label="Add a plan" about={`to ${title}`} onAct={addPlan} />
      <ActionButton icon="trash" label="Delete" about={title} isDangerous onAct={remove} />
      <FailureNotice of={action} />
      {dialog}
    </>
  );
}

const publishTexts = (isActive: boolean) =>
  isActive ? ({ icon: 'stop', label: 'Hide' } as const) : ({ icon: 'play', label: 'Publish' } as const);

function usePublishing({ game, onChanged }: GameProps) {
  const { api, notify } = useShell();
  const action = useAction();
  const { title, active } = game;
  const publish = () =>
    action.run(async () => {
      const reading = { shown: game, read: readGame(game.slug), onChanged };
      const { current, context } = await readUnchanged(api, reading);
      await api.admin.putGame.mutate({ ...current, active: !active }, { context });
      await onChanged();
      notify(active ? named`${title} is hidden.` : named`${title} is published.`);
    });
  return { action, publish };
}

function Plans({ game, onChanged }: GameProps) {
  const { dialog, show } = useDialog();
  const { title, plans } = game;
  return (
    <>
      {plans.length > 0 && (
        <ul aria-label={`Plans of ${title}`}>
          {plans.map((plan, index) => (
            <PlanItem
              key={index}
              plan={plan}
              onEdit={() => show(<PlanDialog {...{ game, index, onChanged }} />)}
              onDelete={() => show(<DeletePlanDialog {...{ game, index, onChanged }} />)}
            />
          ))}
        </ul>
      )}
      {dialog}
    </>
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
        <span>
          <bdi>{price}</bdi> a <bdi>{period}</bdi>
        </span>
        {popular && <span class="badge is-accent">Popular</span>}
      </>
    }
    actions={
      <>
        <ActionButton label="Edit" about={`the plan ${title}`} onAct={onEdit} />
        <ActionButton label="Delete" about={`the plan ${title}`} isDangerous onAct={onDelete} />
      </>
    }
  />
);
