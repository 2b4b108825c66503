/** Asks for confirmation before a webhook is deleted, and names it. */
import type { Webhook } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import { useAction, useShell } from '../shell.ts';
import { nameOf } from './words.ts';

interface Props {
  item: Webhook;
  onClose(): void;
  onDeleted(): Promise<unknown>;
}

export function DeleteWebhookDialog({ item, onClose, onDeleted }: Props) {
  const { api, notify } = useShell();
  const action = useAction();
  const remove = () =>
    action.run(async () => {
      await api.webhooks.delete.mutate({ webhook_id: item.id });
      await onDeleted();
      onClose();
      notify(
        <>
          <bdi>{nameOf(item)}</bdi> is deleted.
        </>,
      );
    });
  return (
    <DialogForm
      title={
        <>
          Delete <bdi>{nameOf(item)}</bdi>?
        </>
      }
      label="Delete webhook"
      isDangerous
      action={action}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>
        Nothing more is sent to <code class="prefix">{item.url}</code>, and its deliveries are deleted. This
        cannot be undone.
      </p>
    </DialogForm>
  );
}
