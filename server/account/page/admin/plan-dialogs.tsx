/** The dialogs over a plan of a game. */
import type { Api, Game, Plan } from '../api.ts';
import { ConfirmDialog } from '../dialog.tsx';
import { Choices, InputField, TextField } from '../field.tsx';
import { type FormField, type Problems, textOf, trimmedOf } from '../form.tsx';
import { named } from '../named.tsx';
import { type Over, readUnchanged, SharedFormDialog } from '../shared-form.tsx';
import { type GameProps, readGame } from './game-dialogs.tsx';

interface Props extends GameProps {
  /** Of the plan among those of the game; undefined for a new one. */
  index?: number;
}

/** The plan that the dialog is about, where it is now. */
const indexIn = ({ plans }: Game, plan: Plan | undefined): number =>
  plan ? plans.findIndex(({ title, billingId }) => title === plan.title && billingId === plan.billingId) : -1;

export function PlanDialog({ game: opened, index, onChanged }: Props) {
  const plan = index === undefined ? undefined : opened.plans[index];
  const save = async (api: Api, values: FormData, { current, context }: Over<Game>) => {
    const changed = planOf(values);
    const at = current.plans.length === opened.plans.length ? (index ?? -1) : indexIn(current, plan);
    const plans = at < 0 ? [...current.plans, changed] : current.plans.with(at, changed);
    await api.admin.putGame.mutate({ ...current, plans }, { context });
    await onChanged();
    return plan ? named`The plan ${changed.title} is changed.` : named`The plan ${changed.title} is added.`;
  };
  return (
    <SharedFormDialog
      opened={opened}
      read={readGame(opened.slug)}
      label={plan ? 'Save' : 'Add plan'}
      draft={`plan-${opened.slug}-${plan ? JSON.stringify([plan.title, plan.billingId]) : ''}`}
      check={problemsOf}
      save={save}
      form={(game) => formOf(game, plan && (game.plans[indexIn(game, plan)] ?? plan))}
    />
  );
}

const formOf = (game: Game, plan: Plan | undefined) => ({
  title: plan ? named`Edit the plan ${plan.title}` : named`Add a plan to ${game.title}`,
  fields: [{ ...titleField, defaultValue: plan?.title ?? '' }],
  children: (problems: Problems) => (
    <>
      <div class="field-pair">
        <InputField
          {...{ label: 'Price', hint: 'As it is shown, such as 9.99 €.', name: 'price', maxLength: 100 }}
          error={problems['price']}
          autocomplete="off"
          defaultValue={plan?.price ?? ''}
        />
        <InputField
          {...{ label: 'Period', hint: 'That the price is for.', name: 'period', maxLength: 100 }}
          error={problems['period']}
          autocomplete="off"
          defaultValue={plan?.period ?? 'month'}
        />
      </div>
      <FurtherFields plan={plan} />
    </>
  ),
});

const titleField: FormField = {
  name: 'title',
  label: 'Title',
  missing: 'Give the plan a title.',
  maxLength: 200,
  autocomplete: 'off',
  autofocus: true,
};

const popularChoice = [{ value: 'yes', content: 'Highlight it among the plans' }];

const FurtherFields = ({ plan }: { plan: Plan | undefined }) => (
  <>
    <InputField
      {...{ label: 'Subtitle', name: 'subtitle', maxLength: 200, autocomplete: 'off' }}
      defaultValue={plan?.subtitle ?? ''}
    />
    <TextField
      label="What it includes"
      hint="A line for each, such as 6 GB memory."
      name="features"
      rows={4}
      maxLength={20_000}
      defaultValue={plan?.features.join('\n') ?? ''}
    />
    <Choices legend="Popular" name="popular" choices={popularChoice} preset={plan?.popular ? ['yes'] : []} />
    <InputField
      label="Price at the payment provider"
      hint="Its reference, such as price_iron_monthly. May stay empty."
      name="billingId"
      maxLength={200}
      autocomplete="off"
      spellcheck={false}
      defaultValue={plan?.billingId ?? ''}
    />
  </>
);

const problemsOf = (values: FormData) => ({
  price: trimmedOf(values, 'price') === '' ? 'Give the plan a price.' : undefined,
  period: trimmedOf(values, 'period') === '' ? 'Say what the price is for, such as month.' : undefined,
});

const planOf = (values: FormData): Plan => ({
  title: trimmedOf(values, 'title'),
  subtitle: trimmedOf(values, 'subtitle'),
  price: trimmedOf(values, 'price'),
  period: trimmedOf(values, 'period'),
  popular: values.has('popular'),
  features: textOf(values, 'features')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean),
  billingId: trimmedOf(values, 'billingId') || null,
});

export function DeletePlanDialog({ game, index = 0, onChanged }: Props) {
  const title = game.plans[index]?.title ?? '';
  const remove = async (api: Api) => {
    const reading = { shown: game, read: readGame(game.slug), onChanged };
    const { current, context } = await readUnchanged(api, reading);
    await api.admin.putGame.mutate({ ...current, plans: current.plans.toSpliced(index, 1) }, { context });
    await onChanged();
    return named`The plan ${title} is deleted.`;
  };
  return (
    <ConfirmDialog title={named`Delete the plan ${title}?`} verb="Delete plan" isDangerous act={remove}>
      <p>
        It is no longer sold with <bdi>{game.title}</bdi>. Subscriptions of customers stay as they are.
      </p>
    </ConfirmDialog>
  );
}
