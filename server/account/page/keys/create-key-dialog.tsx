/** Creates a key: name, scopes, expiry and restrictions. */
import { useState } from 'preact/hooks';
import type { Api, IssuedKey, KeyList, Server } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { Choices, InputField, SelectField, scopeChoices, TextField } from '../field.tsx';
import { type FormField, textOf } from '../form.tsx';
import { dateOf, dayMs, localDayOf } from '../time.tsx';
import { useServers } from '../use-servers.ts';
import { daysOf, isNamed, type KeyLink } from './key-link.ts';
import { LinkNotice } from './link-notice.tsx';

interface Props {
  keys: KeyList;
  /** Fills the form in; null: nothing does. */
  link: KeyLink | null;
  onCreated(issued: IssuedKey): Promise<unknown>;
}

export function CreateKeyDialog({ keys, link, onCreated }: Props) {
  const { servers, failure } = useServers();
  const [openedAt] = useState(() => Date.now());
  const create = async (api: Api, values: FormData) => {
    const scopes = values.getAll('scope').map(String);
    const expires_at = expiryOf(values, openedAt);
    const request = { name: textOf(values, 'name'), scopes, expires_at, ...restrictionsOf(values) };
    await onCreated(await api.keys.create.mutate(request));
  };
  return (
    <FormDialog
      title="Create a key"
      label="Create key"
      draft={link ? undefined : 'key'}
      fieldCount={servers?.length ?? 0}
      fields={[{ ...nameField, defaultValue: link?.name }]}
      check={(values) => problemsOf(values, link)}
      send={create}
    >
      {(problems) => (
        <>
          {link && <LinkNotice {...{ link, keys, servers }} />}
          <Choices
            legend="Scopes"
            name="scope"
            choices={scopeChoices(keys.grantable_scopes)}
            preset={link?.scopes ?? []}
            error={problems['scopes']}
          />
          <ExpiryFields {...{ link, maxDays: keys.max_days }} error={problems['expiry']} />
          <RestrictionFields
            {...{ servers, failure, link }}
            canRestrictAddresses={keys.can_restrict_addresses}
            error={problems['servers']}
          />
        </>
      )}
    </FormDialog>
  );
}

const nameField: FormField = {
  name: 'name',
  label: 'Name',
  hint: 'What will use it, such as “Deploy script”.',
  missing: 'Give the key a name.',
  maxLength: 100,
  autocomplete: 'off',
  autofocus: true,
};

const problemsOf = (values: FormData, link: KeyLink | null) => ({
  scopes: values.has('scope') ? undefined : 'Choose at least one scope.',
  expiry: isDateWrong(values) ? 'Choose a date in the future, with a year of four digits.' : undefined,
  // Without one it would reach all of them.
  servers: link && link.servers.length > 0 && !values.has('server') ? noServer : undefined,
});

const noServer = 'The link asks for a key of some servers only: choose at least one.';

const expiries = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
];

interface ExpiryProps {
  link: KeyLink | null;
  /** How long a key may live; null: for ever. */
  maxDays: number | null;
  error: string | undefined;
}

const isOffered = (value: string, maxDays: number | null) =>
  maxDays === null || value === 'date' || Number(value) <= maxDays;

/** When a key expires: never, after some days, or on a date. */
function ExpiryFields({ link, maxDays, error }: ExpiryProps) {
  const offered = expiries.filter(({ value }) => isOffered(value, maxDays));
  const days = link && daysOf(link, maxDays);
  const [choice, setChoice] = useState(() => choiceFor(days, offered));
  return (
    <div class="field-pair">
      <SelectField
        label="Expires"
        hint={hintFor(choice)}
        name="expiry"
        value={choice}
        options={offered}
        onChoose={setChoice}
      />
      {choice === 'date' && (
        <InputField
          label="Date"
          hint="Until the end of that day, your time."
          error={error}
          name="date"
          type="date"
          min={tomorrow()}
          max={maxDays === null ? '9999-12-31' : dayIn(maxDays - 1)}
          defaultValue={days === null ? undefined : dayIn(Math.min(days, (maxDays ?? Infinity) - 1))}
        />
      )}
    </div>
  );
}

/** At first: 90 days, or as a link asks. */
function choiceFor(days: number | null, offered: readonly { value: string }[]): string {
  const wanted = String(days ?? 90);
  if (offered.some(({ value }) => value === wanted)) return wanted;
  return days === null ? (offered[0]?.value ?? 'date') : 'date';
}

function hintFor(choice: string): string {
  if (choice === 'date') return 'Any day from tomorrow on.';
  if (choice === 'never') return 'A key that expires does less harm when it leaks.';
  return `On ${dateOf(daysFromNow(Number(choice)))}.`;
}

const endOfDay = (values: FormData) => new Date(`${textOf(values, 'date')}T23:59:59.999`);

/** Whether the chosen date is missing, is over, or has a year of more than four digits. */
const isDateWrong = (values: FormData) =>
  values.get('expiry') === 'date' && !(endOfDay(values).getTime() > Date.now());

/**
 * The expiry chosen in the form, whose date is right; null: never.
 * @param since the same at each press, so that the service knows the request again
 */
function expiryOf(values: FormData, since: number): string | null {
  const choice = textOf(values, 'expiry');
  if (choice === 'never') return null;
  if (choice === 'date') return endOfDay(values).toISOString();
  return daysFrom(since, Number(choice));
}

const daysFrom = (since: number, days: number) => new Date(since + days * dayMs).toISOString();

const daysFromNow = (days: number) => daysFrom(Date.now(), days);

const dayIn = (days: number) => localDayOf(daysFromNow(days));

const tomorrow = () => dayIn(1);

interface RestrictionProps {
  link: KeyLink | null;
  error: string | undefined;
  /** The user's; null until they have arrived. */
  servers: readonly Server[] | null;
  failure: string | null;
  canRestrictAddresses: boolean;
}

/** What a key is restricted to: servers of the user's, and addresses. Closed until it is wanted. */
function RestrictionFields({ link, servers, failure, canRestrictAddresses, error }: RestrictionProps) {
  const asked = link?.servers ?? [];
  const preset = servers?.filter((server) => asked.some((name) => isNamed(server, name)));
  return (
    <details class="restrictions" open={asked.length > 0}>
      <summary>Restrict it to servers or addresses</summary>
      <Choices
        legend="Servers"
        name="server"
        choices={(servers ?? []).map(choiceOf)}
        preset={preset?.map(({ identifier }) => identifier) ?? []}
        error={error}
        empty={servers && <p class="note">You have no servers.</p>}
      >
        <p class="note">With none chosen it reaches all your servers.</p>
        {failure && <p class="note is-danger">{failure}</p>}
      </Choices>
      {canRestrictAddresses ? (
        <TextField
          label="Addresses"
          hint="One or several, such as 203.0.113.7 or 2001:db8::/48. Empty: from anywhere."
          name="addresses"
          maxLength={4000}
        />
      ) : (
        <p class="note">
          Addresses cannot be restricted here: the service does not see where calls come from.
        </p>
      )}
    </details>
  );
}

const choiceOf = ({ identifier, name }: Server) => ({
  value: identifier,
  content: (
    <>
      <bdi>{name}</bdi> <code>{identifier}</code>
    </>
  ),
});

/** As they were chosen; null: no restriction. */
function restrictionsOf(values: FormData) {
  const servers = values.getAll('server').map(String);
  const addresses = values.has('addresses')
    ? textOf(values, 'addresses')
        .split(/[\s,]+/)
        .filter(Boolean)
    : [];
  return {
    servers: servers.length > 0 ? servers : null,
    addresses: addresses.length > 0 ? addresses : null,
  };
}
