/** The dialog open over the list of webhooks. */
import type { Webhook, WebhookSecret, WebhookTypes } from '../api.ts';
import { ConfirmDialog, FormDialog } from '../dialog.tsx';
import { named } from '../named.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { useShell } from '../shell.ts';
import { formatOf, problemsOf, WebhookFields, webhookOf } from './webhook-fields.tsx';
import { nameOf } from './words.ts';

export type OpenDialog =
  | { is: 'create' }
  | { is: 'edit' | 'rotate' | 'delete'; item: Webhook }
  | { is: 'secret'; shown: WebhookSecret; isRotated: boolean }
  | null;

interface Props {
  open: OpenDialog;
  setOpen(open: OpenDialog): void;
  reload(): Promise<unknown>;
  types: WebhookTypes;
}

export function WebhookDialog({ open, setOpen, reload, types }: Props) {
  const onClose = () => setOpen(null);
  const show = async (shown: WebhookSecret, isRotated: boolean) => {
    // One of Discord has no secret.
    setOpen(shown.secret === null ? null : { is: 'secret', shown, isRotated });
    await reload();
  };
  if (open?.is === 'create')
    return <CreateDialog {...{ types, onClose }} onCreated={(shown) => show(shown, false)} />;
  if (open?.is === 'edit') return <EditDialog {...{ types, onClose, item: open.item }} onDone={reload} />;
  if (open?.is === 'rotate')
    return <RotateDialog item={open.item} onClose={onClose} onRotated={(shown) => show(shown, true)} />;
  if (open?.is === 'delete') return <DeleteDialog item={open.item} onClose={onClose} onDone={reload} />;
  if (open?.is === 'secret') return <Secret {...open} onClose={onClose} />;
  return null;
}

interface DialogProps {
  item: Webhook;
  onClose(): void;
}

interface ChangeProps extends DialogProps {
  onDone: Props['reload'];
}

/** Those of the API. */
const places = ['url', 'format', 'events', 'description'];

interface CreateProps extends Pick<Props, 'types'>, Pick<DialogProps, 'onClose'> {
  onCreated(shown: WebhookSecret): Promise<unknown>;
}

function CreateDialog({ types, onClose, onCreated }: CreateProps) {
  const { api } = useShell();
  const create = async (values: FormData) => {
    const request = { ...webhookOf(values, types), format: formatOf(values) };
    await onCreated(await api.webhooks.create.mutate(request));
  };
  return (
    <FormDialog
      {...{ places, check: problemsOf, send: create, onClose }}
      title="Create a webhook"
      label="Create webhook"
      draft="webhook"
    >
      {(problems) => <WebhookFields types={types} problems={problems} />}
    </FormDialog>
  );
}

function EditDialog({ item, types, onClose, onDone }: ChangeProps & Pick<Props, 'types'>) {
  const { api } = useShell();
  const change = async (values: FormData) => {
    const { url, ...changes } = webhookOf(values, types);
    // An address that is shown in part is sent only when it was changed.
    const request = { webhook_id: item.id, ...changes, ...(url !== item.url && { url }) };
    const { webhook } = await api.webhooks.change.mutate(request);
    await onDone();
    return named`${nameOf(webhook)} is changed.`;
  };
  return (
    <FormDialog
      {...{ places, check: problemsOf, send: change, onClose }}
      title={named`Edit ${nameOf(item)}`}
      label="Save"
      draft={`webhook-${item.id}`}
    >
      {(problems) => <WebhookFields types={types} problems={problems} item={item} />}
    </FormDialog>
  );
}

function DeleteDialog({ item, onClose, onDone }: ChangeProps) {
  const { api } = useShell();
  const name = nameOf(item);
  const remove = async () => {
    await api.webhooks.delete.mutate({ webhook_id: item.id });
    await onDone();
    return named`${name} is deleted.`;
  };
  return (
    <ConfirmDialog
      title={named`Delete ${name}?`}
      verb="Delete webhook"
      isDangerous
      act={remove}
      onClose={onClose}
    >
      <p>
        Nothing more is sent to <code class="prefix">{item.url}</code>, and its deliveries are deleted. This
        cannot be undone.
      </p>
    </ConfirmDialog>
  );
}

interface RotateProps extends DialogProps {
  onRotated(shown: WebhookSecret): Promise<unknown>;
}

function RotateDialog({ item, onClose, onRotated }: RotateProps) {
  const { api } = useShell();
  const title = named`Rotate the secret of ${nameOf(item)}`;
  const rotate = async () => {
    await onRotated(await api.webhooks.rotateSecret.mutate({ webhook_id: item.id }));
  };
  return (
    <ConfirmDialog title={title} verb="Rotate secret" act={rotate} onClose={onClose}>
      <p>You get a new secret. For 24 hours each request is signed with both, then with the new one alone.</p>
    </ConfirmDialog>
  );
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
