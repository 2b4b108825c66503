/** What the owner of a webhook can do with it. */
import { ActionButton } from '../action-button.tsx';
import type { Webhook, WebhookTypes } from '../api.ts';
import { FailureNotice } from '../form.tsx';
import { named } from '../named.tsx';
import { useAction, useShell } from '../shell.ts';
import { DeleteDialog, EditDialog, type Opener, RotateDialog } from './webhook-dialogs.tsx';
import { nameOf } from './words.ts';

interface Props extends Opener {
  item: Webhook;
  types: WebhookTypes;
  /** A test is on its way. */
  onTest(): Promise<unknown>;
}

export function WebhookActions({ item, types, onTest, ...opener }: Props) {
  const { action, toggle, test } = useWebhookActions({ item, onTest, reload: opener.reload });
  const { isBusy } = action;
  const name = nameOf(item);
  const { show } = opener;
  const edit = () => show(<EditDialog {...{ item, types, ...opener }} />);
  const rotate = () => show(<RotateDialog {...{ item, ...opener }} />);
  const remove = () => show(<DeleteDialog {...{ item, ...opener }} />);
  return (
    <>
      <div class="webhook-actions">
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
      <FailureNotice of={action} class="webhook-alert" />
    </>
  );
}

const toggleTexts = (isActive: boolean) =>
  isActive ? ({ icon: 'stop', label: 'Turn off' } as const) : ({ icon: 'play', label: 'Turn on' } as const);

function useWebhookActions({ item, reload, onTest }: Pick<Props, 'item' | 'reload' | 'onTest'>) {
  const { api, notify } = useShell();
  const action = useAction();
  const [name, webhook_id] = [nameOf(item), item.id];
  const toggle = () =>
    action.run(async () => {
      await api.webhooks.change.mutate({ webhook_id, active: !item.active });
      await reload();
      notify(
        item.active
          ? named`${name} is off. What happens now is not sent later.`
          : named`${name} is on from now on.`,
      );
    });
  const test = () =>
    action.run(async () => {
      await api.webhooks.test.mutate({ webhook_id });
      await onTest();
      await reload(); // it may have been delivered before the deliveries were loaded, which then follow nothing
      notify(named`A test is on its way to ${name}.`);
    });
  return { action, toggle, test };
}
