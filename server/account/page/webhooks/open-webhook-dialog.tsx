/** The dialog open over the list of webhooks. */
import type { Webhook, WebhookSecret, WebhookTypes } from '../api.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { CreateWebhookDialog } from './create-webhook-dialog.tsx';
import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx';
import { EditWebhookDialog } from './edit-webhook-dialog.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { nameOf } from './words.ts';

export type Open =
  | { is: 'create' }
  | { is: 'edit' | 'rotate' | 'delete'; item: Webhook }
  | { is: 'secret'; shown: WebhookSecret; isRotated: boolean }
  | null;

interface Props {
  open: Open;
  setOpen(open: Open): void;
  reload(): Promise<unknown>;
  types: WebhookTypes;
}

export function OpenWebhookDialog({ open, setOpen, reload, types }: Props) {
  const close = () => setOpen(null);
  const show = async (shown: WebhookSecret, isRotated: boolean) => {
    // One of Discord has no secret.
    setOpen(shown.secret === null ? null : { is: 'secret', shown, isRotated });
    await reload();
  };
  if (open?.is === 'create')
    return <CreateWebhookDialog types={types} onClose={close} onCreated={(shown) => show(shown, false)} />;
  if (open?.is === 'edit')
    return <EditWebhookDialog item={open.item} types={types} onClose={close} onChanged={reload} />;
  if (open?.is === 'rotate')
    return <RotateSecretDialog item={open.item} onClose={close} onRotated={(shown) => show(shown, true)} />;
  if (open?.is === 'delete')
    return <DeleteWebhookDialog item={open.item} onClose={close} onDeleted={reload} />;
  if (open?.is === 'secret') return <Secret {...open} onClose={close} />;
  return null;
}

interface SecretProps {
  shown: WebhookSecret;
  isRotated: boolean;
  onClose(): void;
}

const Secret = ({ shown: { webhook, secret }, isRotated, onClose }: SecretProps) => (
  <SecretDialog
    title={`${isRotated ? 'The new secret' : 'The secret'} of ${nameOf(webhook)}`}
    secret={secret ?? ''}
    what="secret"
    advice="Who has it can send you events that look like ours."
    onClose={onClose}
  >
    <p>
      Your program checks the signature of each request with it:{' '}
      <a href="/api/v1/docs#webhooks" target="_blank" rel="noreferrer">
        receivers in TypeScript and Python<span class="visually-hidden">, in a new tab</span>
      </a>
      .
    </p>
    {isRotated && <p>For 24 hours each request is signed with the old secret, too.</p>}
  </SecretDialog>
);
