/** Gives a webhook a new secret. */
import type { Webhook, WebhookSecret } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import { useAction, useShell } from '../shell.ts';
import { nameOf } from './words.ts';

interface Props {
  item: Webhook;
  onClose(): void;
  onRotated(shown: WebhookSecret): Promise<unknown>;
}

export function RotateSecretDialog({ item, onClose, onRotated }: Props) {
  const { api } = useShell();
  const action = useAction();
  const rotate = () =>
    action.run(async () => {
      await onRotated(await api.webhooks.rotateSecret.mutate({ webhook_id: item.id }));
    });
  return (
    <DialogForm
      title={
        <>
          Rotate the secret of <bdi>{nameOf(item)}</bdi>
        </>
      }
      label="Rotate secret"
      action={action}
      onSubmit={rotate}
      onClose={onClose}
    >
      <p>You get a new secret. For 24 hours each request is signed with both, then with the new one alone.</p>
    </DialogForm>
  );
}
