/** The dialogs over the list of webhooks. */
import type { Api, Webhook, WebhookCalls, WebhookSecret, WebhookTypes } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { named } from '../named.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { formatOf, problemsOf, WebhookFields, webhookOf } from './webhook-fields.tsx';
import { nameOf } from './words.ts';

/** Those of the API. */
const places = ['url', 'format', 'events', 'description'];

interface CreateProps {
  calls: WebhookCalls;
  types: WebhookTypes;
  /** Of the view: what is typed for the host is no draft of one's own. */
  title: string;
  onCreated(created: WebhookSecret): Promise<unknown>;
}

export function CreateDialog({ calls, types, title, onCreated }: CreateProps) {
  const create = async (_: Api, values: FormData) => {
    await onCreated(await calls.create.mutate({ ...webhookOf(values, types), format: formatOf(values) }));
  };
  return (
    <FormDialog
      title="Create a webhook"
      label="Create webhook"
      draft={`webhook:${title}`}
      places={places}
      check={problemsOf}
      send={create}
    >
      {(problems) => <WebhookFields types={types} problems={problems} />}
    </FormDialog>
  );
}

interface EditProps {
  calls: WebhookCalls;
  types: WebhookTypes;
  item: Webhook;
  onChanged(): Promise<unknown>;
}

export function EditDialog({ calls, types, item, onChanged }: EditProps) {
  const change = async (_: Api, values: FormData) => {
    const { url, ...changes } = webhookOf(values, types);
    // An address that is shown in part is sent only when it was changed.
    const request = { webhook_id: item.id, ...changes, ...(url !== item.url && { url }) };
    const { webhook } = await calls.change.mutate(request);
    await onChanged();
    return named`${nameOf(webhook)} is changed.`;
  };
  return (
    <FormDialog
      title={named`Edit ${nameOf(item)}`}
      label="Save"
      draft={`webhook-${item.id}`}
      places={places}
      check={problemsOf}
      send={change}
    >
      {(problems) => <WebhookFields types={types} problems={problems} item={item} />}
    </FormDialog>
  );
}

interface SecretProps {
  of: WebhookSecret;
  isRotated: boolean;
}

export const WebhookSecretDialog = ({ of: { webhook, secret }, isRotated }: SecretProps) => (
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
