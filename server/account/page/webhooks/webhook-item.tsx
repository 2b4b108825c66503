/** A webhook: its address, events and state, and its owner's actions. */
import type { Webhook, WebhookCalls, WebhookSecret, WebhookTypes } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import type { Dialogs, Question } from '../dialog.tsx';
import { FailureNotice } from '../form.tsx';
import { Facts, Item } from '../item.tsx';
import { useAction, useShell } from '../shell.ts';
import { withNames } from '../text.tsx';
import { Time } from '../time.tsx';
import { Deliveries, useDeliveries } from './deliveries.tsx';
import { EditDialog } from './webhook-form.tsx';
import { nameOf, sentenceOf } from './words.ts';

interface Props {
  calls: WebhookCalls;
  item: Webhook;
  types: WebhookTypes;
  /** Belongs to the list, because a dialog's change may remove the webhook from it. */
  dialogs: Dialogs;
  onChanged(): Promise<unknown>;
  onRotated(rotated: WebhookSecret): Promise<void>;
}

export function WebhookItem(props: Props) {
  const { calls, item, types, onChanged } = props;
  const deliveries = useDeliveries(calls, item.id, onChanged);
  return (
    <Item
      title={nameOf(item)}
      about={<State item={item} />}
      actions={<Actions {...props} onTest={deliveries.open} />}
    >
      <ul class="tags" aria-label="Events">
        {item.events.map((type) => (
          <li key={type}>{type === '*' ? 'Everything that happens.' : sentenceOf(types, type)}</li>
        ))}
      </ul>
      <Facts
        of={{
          'Last delivered': item.last_success_at ? <Time iso={item.last_success_at} isRelative /> : 'Never',
          'Sent as': item.format === 'discord' ? 'Discord messages' : 'Signed JSON',
          Created: <Time iso={item.created_at} />,
          'Created by': item.made_by ? <bdi>{item.made_by}</bdi> : 'You, on this page',
        }}
      />
      <Deliveries {...{ calls, item, types, deliveries }} />
    </Item>
  );
}

function State({ item: { active, failing_since, disabled_reason, url } }: { item: Webhook }) {
  const failingSince = active ? failing_since : null;
  return (
    <>
      <span class={active && !failingSince ? 'badge is-success' : 'badge is-warning'}>
        {failingSince ? 'Failing' : active ? 'On' : 'Off'}
      </span>
      <code class="note">{url}</code>
      {failingSince && (
        <p class="note is-danger">
          Deliveries are failing, the first of them <Time iso={failingSince} isRelative />. The list below
          shows why.
        </p>
      )}
      {disabled_reason && <p class="note is-danger">It was turned off: {disabled_reason}</p>}
    </>
  );
}

type ActionsProps = Props & { onTest(): Promise<unknown> };

function Actions(props: ActionsProps) {
  const { item, dialogs } = props;
  const { action, toggle, test } = useWebhookActions(props);
  const { isBusy } = action;
  const name = nameOf(item);
  const edit = () => dialogs.show(<EditDialog {...props} />);
  const rotate = () => dialogs.confirm(rotation(props));
  const remove = () => dialogs.confirm(deletion(props));
  return (
    <>
      {item.active && (
        <ActionButton icon="send" label="Send a test" about={`to ${name}`} isBusy={isBusy} onAct={test} />
      )}
      <ActionButton icon="edit" label="Edit" about={name} onAct={edit} />
      <ActionButton
        key="toggle"
        icon={item.active ? 'stop' : 'play'}
        label={item.active ? 'Turn off' : 'Turn on'}
        about={name}
        isBusy={isBusy}
        onAct={toggle}
      />
      {item.format !== 'discord' && (
        <ActionButton icon="rotate" label="Rotate secret" about={`of ${name}`} onAct={rotate} />
      )}
      <ActionButton icon="trash" label="Delete" about={name} isDangerous onAct={remove} />
      <FailureNotice of={action} />
    </>
  );
}

const rotation = ({ calls, item, onRotated }: Props): Question => ({
  title: withNames`Rotate the secret of ${nameOf(item)}`,
  text: 'You get a new secret. For 24 hours each request is signed with both, then with the new one alone.',
  verb: 'Rotate secret',
  act: async () => onRotated(await calls.rotateSecret.mutate({ webhook_id: item.id })),
});

const deletion = ({ calls, item, onChanged }: Props): Question => ({
  title: withNames`Delete ${nameOf(item)}?`,
  text: (
    <>
      Nothing more is sent to <code class="note">{item.url}</code>, and its deliveries are deleted. This
      cannot be undone.
    </>
  ),
  verb: 'Delete webhook',
  isDangerous: true,
  async act() {
    await calls.delete.mutate({ webhook_id: item.id });
    await onChanged();
    return withNames`${nameOf(item)} is deleted.`;
  },
});

function useWebhookActions({ calls, item, onChanged, onTest }: ActionsProps) {
  const { notify } = useShell();
  const action = useAction();
  const [name, webhook_id] = [nameOf(item), item.id];
  const toggle = () =>
    action.run(async () => {
      await calls.change.mutate({ webhook_id, active: !item.active });
      await onChanged();
      notify(
        item.active
          ? withNames`${name} is off. What happens now is not sent later.`
          : withNames`${name} is on from now on.`,
      );
    });
  const test = () =>
    action.run(async () => {
      await calls.test.mutate({ webhook_id });
      await onTest();
      await onChanged(); // a test delivered before the list was loaded causes no later reload
      notify(withNames`A test is on its way to ${name}.`);
    });
  return { action, toggle, test };
}
