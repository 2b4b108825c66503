/** Asks for confirmation before an app's connection is revoked. */
import type { ConnectedApp } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import { useAction, useShell } from '../shell.ts';
import { agoOf, momentOf } from '../time.tsx';
import { AppIdentity } from './app-identity.tsx';

interface Props {
  item: ConnectedApp;
  onClose(): void;
  onRevoked(): Promise<unknown>;
}

export function RevokeAppDialog({ item, onClose, onRevoked }: Props) {
  const { api, notify } = useShell();
  const action = useAction();
  const revoke = () =>
    action.run(async () => {
      await api.apps.revoke.mutate({ id: item.id });
      await onRevoked();
      onClose();
      notify('The connection is revoked.');
    });
  return (
    <DialogForm
      title="Revoke this connection?"
      label="Revoke"
      isDangerous
      action={action}
      onSubmit={revoke}
      onClose={onClose}
    >
      <AppIdentity app={item.app} />
      <p>
        Every call it makes is refused from now on, and webhooks that it made are turned off. To use it again,
        connect it again from the app.
      </p>
      <p class="note">
        Connected on {momentOf(item.created_at)}.{' '}
        {item.last_used_at ? `It was last used ${agoOf(item.last_used_at)}.` : 'It was never used.'}
      </p>
    </DialogForm>
  );
}
