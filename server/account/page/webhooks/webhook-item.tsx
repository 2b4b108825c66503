/** A webhook: where it leads, what it gets, whether it works, and what its owner can do with it. */

import type { Webhook, WebhookTypes } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { FailureNotice } from '../form.tsx';
import { named } from '../named.tsx';
import { useAction, useShell } from '../shell.ts';
import { Time } from '../time.tsx';
import { Fact } from '../view.tsx';
import { Deliveries, useDeliveries } from './deliveries.tsx';
import { DeleteDialog, EditDialog, type Opener, RotateDialog } from './webhook-dialogs.tsx';
import { nameOf, sentenceOf } from './words.ts';

interface Props extends Opener {
  item: Webhook;
  types: WebhookTypes;
}

export function WebhookItem({ item, types, ...opener }: Props) {
  const deliveries = useDeliveries(opener.calls, item.id, opener.reload);
  return (
    <li class="entry">
      <div class="key-head">
        <div class="key-title">
          <h2>
            <bdi>{nameOf(item)}</bdi>
          </h2>
          <StateBadge item={item} />
        </div>
        <code class="prefix">{item.url}</code>
        {isFailing(item) && (
          <p class="note is-danger">
            Deliveries are failing, the first of them <Time iso={item.failing_since ?? ''} isRelative />.
            Their list below says why.
          </p>
        )}
        {item.disabled_reason && <p class="note is-danger">It was turned off: {item.disabled_reason}</p>}
      </div>
      <ul class="webhook-events" aria-label="Events">
        {item.events.map((type) => (
          <li key={type}>{type === '*' ? 'Everything that happens.' : sentenceOf(types, type)}</li>
        ))}
      </ul>
      <WebhookFacts item={item} />
      <WebhookActions {...{ item, types, ...opener }} onTest={deliveries.open} />
      <Deliveries {...{ item, types, deliveries }} calls={opener.calls} />
    </li>
  );
}

const isFailing = ({ active, failing_since }: Webhook) => active && failing_since !== null;

function StateBadge({ item }: { item: Webhook }) {
  const isWorking = item.active && !isFailing(item);
  return (
    <span class={isWorking ? 'badge is-success' : 'badge is-warning'}>
      {isFailing(item) ? 'Failing' : item.active ? 'On' : 'Off'}
    </span>
  );
}

const WebhookFacts = ({ item }: { item: Webhook }) => (
  <dl class="facts">
    <Fact name="Last delivered">
      {item.last_success_at ? <Time iso={item.last_success_at} isRelative /> : 'Never'}
    </Fact>
    <Fact name="Sent as">{item.format === 'discord' ? 'Discord messages' : 'Signed JSON'}</Fact>
    <Fact name="Created">
      <Time iso={item.created_at} />
    </Fact>
    <Fact name="Made by" class="webhook-maker">
      {item.made_by ? <bdi>{item.made_by}</bdi> : 'You, on this page'}
    </Fact>
  </dl>
);

interface ActionsProps extends Opener {
  item: Webhook;
  types: WebhookTypes;
  /** A test is on its way. */
  onTest(): Promise<unknown>;
}

/** What the owner can do with it. */
function WebhookActions({ item, types, onTest, ...opener }: ActionsProps) {
  const { action, toggle, test } = useWebhookActions({ item, onTest, ...opener });
  const { isBusy } = action;
  const name = nameOf(item);
  const { show } = opener;
  const edit = () => show(<EditDialog {...{ item, types, ...opener }} />);
  const rotate = () => show(<RotateDialog {...{ item, ...opener }} />);
  const remove = () => show(<DeleteDialog {...{ item, ...opener }} />);
  return (
    <>
      <div class="actions">
        {item.active && (
          <ActionButton icon="send" label="Send a test" about={`to ${name}`} isBusy={isBusy} onAct={test} />
        )}
        <ActionButton icon="edit" label="Edit" about={name} onAct={edit} />
        <ActionButton
          key="toggle"
          {...toggleTexts(item.active)}
          about={name}
          isBusy={isBusy}
          onAct={toggle}
        />
        {item.format !== 'discord' && (
          <ActionButton icon="rotate" label="Rotate secret" about={`of ${name}`} onAct={rotate} />
        )}
        <ActionButton icon="trash" label="Delete" about={name} isDangerous onAct={remove} />
      </div>
      <FailureNotice of={action} class="entry-alert" />
    </>
  );
}

const toggleTexts = (isActive: boolean) =>
  isActive ? ({ icon: 'stop', label: 'Turn off' } as const) : ({ icon: 'play', label: 'Turn on' } as const);

function useWebhookActions({ item, calls, reload, onTest }: Omit<ActionsProps, 'types' | 'show'>) {
  const { notify } = useShell();
  const action = useAction();
  const [name, webhook_id] = [nameOf(item), item.id];
  const toggle = () =>
    action.run(async () => {
      await calls.change.mutate({ webhook_id, active: !item.active });
      await reload();
      notify(
        item.active
          ? named`${name} is off. What happens now is not sent later.`
          : named`${name} is on from now on.`,
      );
    });
  const test = () =>
    action.run(async () => {
      await calls.test.mutate({ webhook_id });
      await onTest();
      await reload(); // it may have been delivered before the deliveries were loaded, which then follow nothing
      notify(named`A test is on its way to ${name}.`);
    });
  return { action, toggle, test };
}
