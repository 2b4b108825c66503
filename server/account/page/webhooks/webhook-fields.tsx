/** The fields of a webhook: where its events are sent, which, and as what. */
import { useId, useState } from 'preact/hooks';
import { isDiscordUrl } from '../../../../routers/discord-address.ts';
import type { Webhook, WebhookTypes } from '../api.ts';
import { Field } from '../field.tsx';
import { textOf } from '../form.tsx';
import type { Action } from '../shell.ts';

interface Problems {
  url?: string;
  format?: string;
  events?: string;
  description?: string;
}

interface Props {
  types: WebhookTypes;
  problems: Problems;
  /** Undefined for a new one. */
  item?: Webhook;
}

const everything = '*' as const;

export function WebhookFields({ types, problems, item }: Props) {
  return (
    <>
      <AddressFields item={item} problems={problems} />
      <EventFields types={types} error={problems.events} chosen={item?.events ?? []} />
      <Field label="Name" hint="For you, such as “Status page”. May stay empty." error={problems.description}>
        {(inputProps) => (
          <input
            {...inputProps}
            name="description"
            maxLength={200}
            autocomplete="off"
            defaultValue={item?.description ?? ''}
          />
        )}
      </Field>
    </>
  );
}

const formats = [
  { value: 'standard', label: 'Signed JSON, for a program' },
  { value: 'discord', label: 'Messages, for a channel of Discord' },
] as const;

type Format = (typeof formats)[number]['value'];

interface AddressProps {
  item: Webhook | undefined;
  problems: Problems;
}

function AddressFields({ item, problems }: AddressProps) {
  const [format, setFormat] = useState<Format>('standard');
  const [isRecognized, setRecognized] = useState(false);
  const recognize = ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) => {
    const isDiscord = isDiscordUrl(value);
    if (isDiscord !== isRecognized) setFormat(isDiscord ? 'discord' : 'standard');
    setRecognized(isDiscord);
  };
  const isHidden = item?.url.endsWith('...') ?? false;
  const hint = isHidden
    ? 'Its hidden part (...) stays as it is. For another address, enter the whole of it.'
    : 'Such as https://status.example.com/hooks, or the address of a webhook of Discord.';
  return (
    <>
      <Field label="Address" hint={hint} error={problems.url ?? (item && problems.format)}>
        {(inputProps) => (
          <input
            {...{ ...inputProps, name: 'url', type: 'url', maxLength: 2000, autocomplete: 'off' }}
            spellcheck={false}
            autofocus
            defaultValue={item?.url ?? ''}
            onInput={recognize}
            onChange={recognize}
          />
        )}
      </Field>
      {!item && <FormatField {...{ format, isRecognized, error: problems.format, onChoose: setFormat }} />}
    </>
  );
}

interface FormatProps {
  format: Format;
  isRecognized: boolean;
  error: string | undefined;
  onChoose(format: Format): void;
}

const FormatField = ({ format, isRecognized, error, onChoose }: FormatProps) => (
  <Field
    label="Sent as"
    hint={isRecognized ? 'Recognized as a webhook of Discord.' : undefined}
    error={error}
  >
    {(inputProps) => (
      <select
        {...inputProps}
        name="format"
        value={format}
        onChange={({ currentTarget: { value } }) => onChoose(value === 'discord' ? 'discord' : 'standard')}
      >
        {formats.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface EventProps {
  types: WebhookTypes;
  error: string | undefined;
  chosen: readonly string[];
}

function EventFields({ types, error, chosen }: EventProps) {
  const id = useId();
  const all = { type: everything, sentence: 'Everything, also what later releases add.' };
  return (
    <fieldset class="field">
      <legend>Events</legend>
      {error && (
        <p id={`${id}-note`} class="note is-danger">
          {error}
        </p>
      )}
      <div class="choices">
        {[all, ...types].map(({ type, sentence }, index) => (
          <label class="choice" key={type}>
            <input
              type="checkbox"
              name="event"
              value={type}
              defaultChecked={chosen.includes(type)}
              {...(error && index === 0 && { 'aria-invalid': true, 'aria-describedby': `${id}-note` })}
            />
            <span>
              {sentence}
              <code class="note">{type === everything ? 'all' : type}</code>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const fields = ['url', 'format', 'events', 'description'] as const;

/**
 * What is wrong, found here or by the service, at its field.
 * @returns `action`: without a failure that stands at a field
 */
export function useProblems(action: Action) {
  const [found, setFound] = useState<Problems | null>(null);
  const field = fields.find((each) => each === action.field);
  const refused = field && action.failure ? { [field]: action.failure } : {};
  return {
    problems: found ?? refused,
    action: field ? { ...action, failure: null } : action,
    /** Whether the form may be sent. */
    check(values: FormData): boolean {
      const problems = problemsOf(values);
      const isRight = Object.keys(problems).length === 0;
      setFound(isRight ? null : problems);
      return isRight;
    },
    forget: () => setFound({}),
  };
}

function problemsOf(values: FormData): Problems {
  const url = textOf(values, 'url').trim();
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
    url: textOf(values, 'url').trim(),
    events: chosen.has(everything) ? [everything] : events,
    description: textOf(values, 'description').trim() || null,
  };
}

export const formatOf = (values: FormData): Format =>
  formats.find(({ value }) => value === textOf(values, 'format'))?.value ?? 'standard';
