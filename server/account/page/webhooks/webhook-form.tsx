/** The form of a webhook: where its events are sent, which, and as what. */
import { useState } from 'preact/hooks';
import { isDiscordUrl } from '../../../../routers/chat-addresses.ts';
import type { Api, Webhook, WebhookCalls, WebhookSecret, WebhookTypes } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { Choices, InputField, SelectField } from '../field.tsx';
import { textOf, trimmedOf } from '../form.tsx';
import { named } from '../text.tsx';
import { nameOf } from './words.ts';

interface CreateProps {
  calls: WebhookCalls;
  types: WebhookTypes;
  /** Of the view: what is typed for the host is no draft of one's own. */
  title: string;
  onCreated(created: WebhookSecret): Promise<unknown>;
}

export function CreateDialog({ calls, types, title, onCreated }: CreateProps) {
  const create = async (_: Api, values: FormData) => {
    const format = formats.find(({ value }) => value === textOf(values, 'format'))?.value ?? 'standard';
    await onCreated(await calls.create.mutate({ ...webhookOf(values, types), format }));
  };
  return (
    <FormDialog
      title="Create a webhook"
      label="Create webhook"
      draft={`webhook:${title}`}
      check={checkAddress}
      send={create}
    >
      <WebhookFields types={types} />
    </FormDialog>
  );
}

type EditProps = { calls: WebhookCalls; types: WebhookTypes; item: Webhook; onChanged(): Promise<unknown> };

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
      check={checkAddress}
      send={change}
    >
      <WebhookFields types={types} item={item} />
    </FormDialog>
  );
}

const everything = '*' as const;

const WebhookFields = ({ types, item }: { types: WebhookTypes; item?: Webhook }) => (
  <>
    <AddressFields url={item?.url} />
    <Choices
      legend="Events"
      name="events"
      missing="Choose at least one event."
      choices={[all, ...types].map(choiceOf)}
      preset={item?.events ?? []}
    />
    <InputField
      name="description"
      label="Name"
      hint="For you, such as “Status page”. May stay empty."
      maxLength={200}
      defaultValue={item?.description ?? ''}
    />
  </>
);

const formats = [
  { value: 'standard', label: 'Signed JSON, for a program' },
  { value: 'discord', label: 'Messages, for a channel of Discord' },
] as const;

const hints = {
  whole: 'Such as https://status.example.com/hooks, or the address of a webhook of Discord.',
  hidden: 'Its hidden part (...) stays as it is. For another address, enter the whole of it.',
};

/** What a new one is sent as is chosen, or recognized by the address. */
function AddressFields({ url }: { url: string | undefined }) {
  const [format, setFormat] = useState('standard');
  const [isRecognized, setRecognized] = useState(false);
  const recognize = ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) => {
    const isDiscord = isDiscordUrl(value);
    if (isDiscord !== isRecognized) setFormat(isDiscord ? 'discord' : 'standard');
    setRecognized(isDiscord);
  };
  return (
    <>
      <InputField
        name="url"
        label="Address"
        hint={url?.endsWith('...') ? hints.hidden : hints.whole}
        type="url"
        data-secret
        maxLength={2000}
        spellcheck={false}
        defaultValue={url}
        onInput={recognize}
        onChange={recognize}
      />
      {url === undefined && (
        <SelectField
          name="format"
          label="Sent as"
          hint={isRecognized && 'Recognized as a webhook of Discord.'}
          value={format}
          options={formats}
          onChoose={setFormat}
        />
      )}
    </>
  );
}

const all = { type: everything, sentence: 'Everything, also what later releases add.' };

const choiceOf = ({ type, sentence }: { type: string; sentence: string }) => ({
  value: type,
  content: (
    <>
      {sentence}
      <code class="note">{type === everything ? 'all' : type}</code>
    </>
  ),
});

const checkAddress = (values: FormData) => ({
  url: URL.canParse(trimmedOf(values, 'url'))
    ? undefined
    : 'Enter an address, such as https://status.example.com/hooks.',
});

/** What the form holds, as the API takes it. */
function webhookOf(values: FormData, types: WebhookTypes) {
  const chosen = new Set(values.getAll('events').map(String));
  const events = types.map(({ type }) => type).filter((type) => chosen.has(type));
  return {
    url: trimmedOf(values, 'url'),
    events: chosen.has(everything) ? [everything] : events,
    description: trimmedOf(values, 'description') || null,
  };
}
