/** Asks for confirmation before a key is revoked. */
import type { LiveKey } from './api.ts';
import { DialogForm } from './dialog.tsx';
import { useAction, useShell } from './shell.ts';
import { distanceOf } from './time.tsx';

interface Props {
  item: LiveKey;
  onClose(): void;
  onRevoked(): Promise<unknown>;
}

export function RevokeDialog({ item, onClose, onRevoked }: Props) {
  const { api, notify } = useShell();
  const action = useAction();
  const revoke = () =>
    action.run(async () => {
      await api.keys.revoke.mutate({ id: item.id });
      await onRevoked();
      onClose();
      notify(
        <>
          <bdi>{item.name}</bdi> is revoked.
        </>,
      );
    });
  return (
    <DialogForm
      title={
        <>
          Revoke <bdi>{item.name}</bdi>?
        </>
      }
      label="Revoke key"
      isDangerous
      action={action}
      onSubmit={revoke}
      onClose={onClose}
    >
      <p>
        Every call with <code class="prefix">{item.prefix}…</code> is refused from now on, and webhooks that
        it made are turned off. This cannot be undone.
      </p>
      <p class="note">
        {item.last_used_at ? `It was last used ${distanceOf(item.last_used_at)}.` : 'It was never used.'}
      </p>
    </DialogForm>
  );
}
