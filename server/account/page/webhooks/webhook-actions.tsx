/** What the owner of a webhook can do with it. */
import type { Webhook } from '../api.ts';
import { Problem } from '../form.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { useAction, useShell } from '../shell.ts';
import type { Open } from './open-webhook-dialog.tsx';
import { nameOf } from './words.ts';

interface Props {
  item: Webhook;
  reload(): Promise<unknown>;
  onOpen(open: Open): void;
  /** A test is on its way. */
  onTest(): Promise<unknown>;
}

export function WebhookActions({ item, reload, onOpen, onTest }: Props) {
  const { isBusy, failure, toggle, test } = useWebhookActions({ item, reload, onTest });
  const name = nameOf(item);
  const opening = (dialog: 'edit' | 'rotate' | 'delete') => () => onOpen({ is: dialog, item });
  return (
    <>
      <div class="webhook-actions">
        {item.active && (
          <ActionButton icon="send" label="Send a test" about={`to ${name}`} isBusy={isBusy} onAct={test} />
        )}
        <ActionButton icon="edit" label="Edit" about={name} onAct={opening('edit')} />
        <ActionButton
          key="toggle"
          {...toggleTexts(item.active)}
          about={name}
          isBusy={isBusy}
          onAct={toggle}
        />
        {item.format !== 'discord' && (
          <ActionButton icon="rotate" label="Rotate secret" about={`of ${name}`} onAct={opening('rotate')} />
        )}
        <ActionButton icon="trash" label="Delete" about={name} isDangerous onAct={opening('delete')} />
      </div>
      <div class="webhook-alert" role="alert">
        {failure && <Problem text={failure} />}
      </div>
    </>
  );
}

const toggleTexts = (isActive: boolean) =>
  isActive ? ({ icon: 'stop', label: 'Turn off' } as const) : ({ icon: 'play', label: 'Turn on' } as const);

function useWebhookActions({ item, reload, onTest }: Pick<Props, 'item' | 'reload' | 'onTest'>) {
  const { api, notify } = useShell();
  const { isBusy, failure, run } = useAction();
  const name = nameOf(item);
  const toggle = () =>
    run(async () => {
      await api.webhooks.change.mutate({ webhook_id: item.id, active: !item.active });
      await reload();
      notify(
        <>
          <bdi>{name}</bdi>{' '}
          {item.active ? 'is off. What happens now is not sent later.' : 'is on from now on.'}
        </>,
      );
    });
  const test = () =>
    run(async () => {
      await api.webhooks.test.mutate({ webhook_id: item.id });
      await onTest();
      await reload(); // it may have been delivered before the deliveries were loaded, which then follow nothing
      notify(
        <>
          A test is on its way to <bdi>{name}</bdi>.
        </>,
      );
    });
  return { isBusy, failure, toggle, test };
}

interface ButtonProps {
  icon: IconName;
  label: string;
  /** Completes the label for screen readers, as in "Edit Status page". */
  about: string;
  isBusy?: boolean;
  isDangerous?: boolean;
  onAct(): void;
}

/** While it is busy it keeps the focus, and does nothing. */
export const ActionButton = ({
  icon,
  label,
  about,
  isBusy = false,
  isDangerous = false,
  onAct,
}: ButtonProps) => (
  <button
    type="button"
    class={isDangerous ? 'button is-small is-quiet-danger' : 'button is-small'}
    aria-label={`${label} ${about}`}
    aria-disabled={isBusy}
    onClick={() => !isBusy && onAct()}
  >
    <Icon name={icon} />
    {label}
  </button>
);
