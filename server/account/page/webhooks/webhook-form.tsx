/** The form of a webhook: its address, its events and their format. */
import { useState } from 'preact/hooks';
import { isDiscordUrl } from '../../../../routers/webhooks/chat-addresses.ts';
import type { Webhook, WebhookCalls, WebhookSecret, WebhookTypes } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { InputField, SelectField } from '../field.tsx';
import { orNull, textOf, trimmedOf } from '../fields.tsx';
import type { RequestInput } from '../requests.ts';
import { withNames } from '../text.tsx';
import { nameOf } from './words.ts';

interface CreateProps {
  calls: WebhookCalls;
  types: WebhookTypes;
  /** The view's title, also the draft's name: a draft for the host's webhook is separate from the user's. */
  title: string;
  onCreated(created: WebhookSecret): Promise<unknown>;
}

export function CreateDialog({ calls, types, title, onCreated }: CreateProps) {
  return (
    <FormDialog
      title="Create webhook"
      label="Create webhook"
      draft={`webhook:${title}`}
      request="webhooks.create"
      fields={webhookFields(types)}
      send={async (_, given, values) => {
        const format = formats.find(({ value }) => value === textOf(values, 'format'))?.value ?? 'standard';
        const url = trimmedOf(values, 'url');
        await onCreated(await calls.create.mutate({ ...withEvents(given), url, format }));
      }}
    />
  );
}

type EditProps = { calls: WebhookCalls; types: WebhookTypes; item: Webhook; onChanged(): Promise<unknown> };

export function EditDialog({ calls, types, item, onChanged }: EditProps) {
  return (
    <FormDialog
      title={withNames`Edit ${nameOf(item)}`}
      label="Save"
      draft={`webhook-${item.id}`}
      request="webhooks.create"
      fields={webhookFields(types, item)}
      item={{ description: item.description }}
      send={async (_, given, values) => {
        const url = trimmedOf(values, 'url');
        // A partly hidden address is sent only if it was changed.
        const changes = { ...withEvents(given), ...(url !== item.url && { url }) };
        const { webhook } = await calls.change.mutate({ webhook_id: item.id, ...changes });
        await onChanged();
        return withNames`${nameOf(webhook)} is changed.`;
      }}
    />
  );
}

const everything = '*' as const;

const webhookFields = (types: WebhookTypes, item?: Webhook) =>
  [
    <AddressFields key="address" url={item?.url} />,
    {
      name: 'events',
      legend: 'Events',
      missing: 'Choose at least one event.',
      choices: [all, ...types].map(choiceOf),
      preset: item?.events ?? [],
    },
    {
      name: 'description',
      label: 'Name',
      hint: 'Optional. For you, such as “Status page”.',
      read: orNull,
    },
  ] as const;

const formats = [
  { value: 'standard', label: 'Signed JSON, for a program' },
  { value: 'discord', label: 'Messages, for a Discord channel' },
] as const;

const hints = {
  whole: 'Such as https://status.example.com/hooks, or the address of a Discord webhook.',
  hidden: 'The hidden part (...) is kept. For another address, enter it in full.',
};

/** The format of a new webhook is chosen, or recognized by its address. */
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
        wrong="Enter an address, such as https://status.example.com/hooks."
        type="url"
        data-secret
        spellcheck={false}
        defaultValue={url}
        onInput={recognize}
        onChange={recognize}
      />
      {url === undefined && (
        <SelectField
          name="format"
          label="Sent as"
          hint={isRecognized && 'Recognized as a Discord webhook.'}
          value={format}
          options={formats}
          onChoose={setFormat}
        />
      )}
    </>
  );
}

const all = { type: everything, sentence: 'Everything, including events that later releases add.' };

const choiceOf = ({ type, sentence }: { type: string; sentence: string }) => ({
  value: type,
  content: (
    <>
      {sentence}
      <code class="note">{type === everything ? 'all' : type}</code>
    </>
  ),
});

type Changes = Pick<RequestInput<'webhooks.create'>, 'events' | 'description'>;

/** `*` includes all other events. */
const withEvents = ({ events, ...given }: Changes) => ({
  ...given,
  events: events.includes(everything) ? [everything] : events,
});
