/** The fields of a webhook: where its events are sent, which, and as what. */
import { useState } from 'preact/hooks';
import { isDiscordUrl } from '../../../../routers/chat-addresses.ts';
import type { Webhook, WebhookTypes } from '../api.ts';
import { Choices, InputField, SelectField } from '../field.tsx';
import { type Problems, textOf, trimmedOf } from '../form.tsx';

interface Props {
  types: WebhookTypes;
  problems: Problems;
  /** Undefined for a new one. */
  item?: Webhook;
}

const everything = '*' as const;

export const WebhookFields = ({ types, problems, item }: Props) => (
  <>
    <AddressFields item={item} problems={problems} />
    <Choices
      legend="Events"
      name="event"
      choices={[all, ...types].map(choiceOf)}
      preset={item?.events ?? []}
      error={problems['events']}
    />
    <InputField
      label="Name"
      hint="For you, such as “Status page”. May stay empty."
      error={problems['description']}
      name="description"
      maxLength={200}
      autocomplete="off"
      defaultValue={item?.description ?? ''}
    />
  </>
);

const formats = [
  { value: 'standard', label: 'Signed JSON, for a program' },
  { value: 'discord', label: 'Messages, for a channel of Discord' },
] as const;

type Format = (typeof formats)[number]['value'];

const hints = {
  whole: 'Such as https://status.example.com/hooks, or the address of a webhook of Discord.',
  hidden: 'Its hidden part (...) stays as it is. For another address, enter the whole of it.',
};

/** What it is sent as is chosen, or recognized by the address. */
function AddressFields({ item, problems }: { item: Webhook | undefined; problems: Problems }) {
  const [format, setFormat] = useState('standard');
  const [isRecognized, setRecognized] = useState(false);
  const recognize = ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) => {
    const isDiscord = isDiscordUrl(value);
    if (isDiscord !== isRecognized) setFormat(isDiscord ? 'discord' : 'standard');
    setRecognized(isDiscord);
  };
  const url = item?.url ?? '';
  return (
    <>
      <InputField
        label="Address"
        hint={url.endsWith('...') ? hints.hidden : hints.whole}
        error={problems['url'] ?? (item && problems['format'])}
        name="url"
        type="url"
        data-secret
        maxLength={2000}
        autocomplete="off"
        autofocus
        spellcheck={false}
        defaultValue={url}
        onInput={recognize}
        onChange={recognize}
      />
      {!item && (
        <SelectField
          label="Sent as"
          hint={isRecognized ? 'Recognized as a webhook of Discord.' : undefined}
          error={problems['format']}
          name="format"
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

export function problemsOf(values: FormData): Problems {
  const url = trimmedOf(values, 'url');
  return {
    ...(!URL.canParse(url) && { url: 'Enter an address, such as https://status.example.com/hooks.' }),
    ...(!values.has('event') && { events: 'Choose at least one event.' }),
  };
}

/** What the form holds, as the API takes it. */
export function webhookOf(values: FormData, types: WebhookTypes) {
  const chosen = new Set(values.getAll('event').map(String));
  const events = types.map(({ type }) => type).filter((type) => chosen.has(type));
  return {
    url: trimmedOf(values, 'url'),
    events: chosen.has(everything) ? [everything] : events,
    description: trimmedOf(values, 'description') || null,
  };
}

export const formatOf = (values: FormData): Format =>
  formats.find(({ value }) => value === textOf(values, 'format'))?.value ?? 'standard';
