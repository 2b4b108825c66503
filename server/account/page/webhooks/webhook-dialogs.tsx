/** The dialogs over the list of webhooks. */
import type { VNode } from 'preact';
import type { Api, Webhook, WebhookCalls, WebhookSecret, WebhookTypes } from '../api.ts';
import { ConfirmDialog, FormDialog } from '../dialog.tsx';
import { named } from '../named.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { formatOf, problemsOf, WebhookFields, webhookOf } from './webhook-fields.tsx';
import { nameOf } from './words.ts';

/** What a dialog shows in its place, if anything, and then the list as it is. */
export interface Opener {
  calls: WebhookCalls;
  show(dialog: VNode | null): void;
  reload(): Promise<unknown>;
}

/** One of Discord has no secret. */
async function showSecret({ show, reload }: Opener, shown: WebhookSecret, isRotated: boolean): Promise<void> {
  show(shown.secret === null ? null : <Secret {...{ shown, isRotated }} />);
  await reload();
}

interface Props extends Opener {
  item: Webhook;
}

/** Those of the API. */
const places = ['url', 'format', 'events', 'description'];

interface CreateProps extends Opener {
  types: WebhookTypes;
  /** Of the view: what is typed for the host is no draft of one's own. */
  title: string;
}

export function CreateDialog({ types, title, ...opener }: CreateProps) {
  const create = async (_: Api, values: FormData) => {
    const request = { ...webhookOf(values, types), format: formatOf(values) };
    await showSecret(opener, await opener.calls.create.mutate(request), false);
  };
  return (
    <FormDialog
      title="Create a webhook"
      label="Create webhook"
      draft={`webhook:${title}`}
      {...{ places, check: problemsOf, send: create }}
    >
      {(problems) => <WebhookFields types={types} problems={problems} />}
    </FormDialog>
  );
}

export function EditDialog({ item, types, calls, reload }: Props & { types: WebhookTypes }) {
  const change = async (_: Api, values: FormData) => {
    const { url, ...changes } = webhookOf(values, types);
    // An address that is shown in part is sent only when it was changed.
    const request = { webhook_id: item.id, ...changes, ...(url !== item.url && { url }) };
    const { webhook } = await calls.change.mutate(request);
    await reload();
    return named`${nameOf(webhook)} is changed.`;
  };
  return (
    <FormDialog
      title={named`Edit ${nameOf(item)}`}
      label="Save"
      draft={`webhook-${item.id}`}
      {...{ places, check: problemsOf, send: change }}
    >
      {(problems) => <WebhookFields types={types} problems={problems} item={item} />}
    </FormDialog>
  );
}

export function DeleteDialog({ item, calls, reload }: Props) {
  const name = nameOf(item);
  const remove = async () => {
    await calls.delete.mutate({ webhook_id: item.id });
    await reload();
    return named`${name} is deleted.`;
  };
  return (
    <ConfirmDialog title={named`Delete ${name}?`} verb="Delete webhook" isDangerous act={remove}>
      <p>
        Nothing more is sent to <code class="prefix">{item.url}</code>, and its deliveries are deleted. This
        cannot be undone.
      </p>
    </ConfirmDialog>
  );
}

export function RotateDialog({ item, ...opener }: Props) {
  const title = named`Rotate the secret of ${nameOf(item)}`;
  const rotate = async () =>
    showSecret(opener, await opener.calls.rotateSecret.mutate({ webhook_id: item.id }), true);
  return (
    <ConfirmDialog title={title} verb="Rotate secret" act={rotate}>
      <p>You get a new secret. For 24 hours each request is signed with both, then with the new one alone.</p>
    </ConfirmDialog>
  );
}

interface SecretProps {
  shown: WebhookSecret;
  isRotated: boolean;
}

const Secret = ({ shown: { webhook, secret }, isRotated }: SecretProps) => (
  <SecretDialog
    title={`${isRotated ? 'The new secret' : 'The secret'} of ${nameOf(webhook)}`}
    secret={secret ?? ''}
    what="secret"
    advice="Who has it can send you events that look like ours."
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
