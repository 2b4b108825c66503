/** Creates a key: name, scopes, expiry and restrictions. */
import { useState } from 'preact/hooks';
import { dayMs } from '../../../../models/support/durations.ts';
import type { IssuedKey, KeyList, Server } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { InputField, SelectField } from '../field.tsx';
import { listBy, textOf } from '../fields.tsx';
import { dateOf, localDayOf } from '../time.tsx';
import { useServers } from '../use-query.ts';
import { daysOf, isNamed, type KeyLink, LinkNotice } from './key-link.tsx';

interface Props {
  keys: KeyList;
  link: KeyLink | null;
  onCreated(issued: IssuedKey): Promise<unknown>;
}

export function CreateKeyDialog({ keys, link, onCreated }: Props) {
  const { servers, failure } = useServers();
  const [openedAt] = useState(() => Date.now());
  return (
    <FormDialog
      title="Create key"
      label="Create key"
      draft={link ? undefined : 'key'}
      check={dateProblem}
      request="keys.create"
      fields={[
        { ...nameField, preset: link?.name },
        link ? <LinkNotice key="link" {...{ link, keys, servers }} /> : false,
        {
          name: 'scopes',
          legend: 'The key may',
          missing: 'Choose at least one scope.',
          scopes: keys.grantable_scopes,
          preset: link?.scopes ?? [],
          isOpen: link !== null,
        },
        <ExpiryFields key="expiry" link={link} maxDays={keys.max_days} />,
        restrictions({ keys, servers, failure, linkedServers: link?.servers ?? [] }),
      ]}
      send={async (api, { servers = null, addresses = null, ...given }, values) => {
        const restricted = { servers: orUnrestricted(servers), addresses: orUnrestricted(addresses) };
        const expires_at = expiryOf(values, openedAt);
        await onCreated(await api.keys.create.mutate({ ...given, ...restricted, expires_at }));
      }}
    />
  );
}

const nameField = {
  name: 'name',
  label: 'Name',
  hint: 'The program that will use it, such as “Deploy script”.',
  missing: 'Give the key a name.',
} as const;

const orUnrestricted = (items: string[] | null) => (items && items.length > 0 ? items : null);

/** Also refuses years of more than four digits. */
const dateProblem = (values: FormData) => ({
  date:
    values.get('expiry') === 'date' && !(endOfDay(values).getTime() > Date.now())
      ? 'Choose a date in the future, with a four-digit year.'
      : undefined,
});

const expiries = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
];

/**
 * When a key expires: never, after some days, or on a date. Starts at 90 days, or as a link requests.
 * @param maxDays a key's maximum lifetime; null: unlimited
 */
function ExpiryFields({ link, maxDays }: { link: KeyLink | null; maxDays: number | null }) {
  const offered = expiries.filter(
    ({ value }) => maxDays === null || value === 'date' || Number(value) <= maxDays,
  );
  const days = link && daysOf(link, maxDays);
  const isOffered = offered.some(({ value }) => value === String(days ?? 90));
  const other = days === null ? (offered[0]?.value ?? 'date') : 'date';
  const [choice, setChoice] = useState(isOffered ? String(days ?? 90) : other);
  return (
    <div class="tiles">
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
          name="date"
          type="date"
          min={dayIn(1)}
          max={maxDays === null ? '9999-12-31' : dayIn(maxDays - 1)}
          defaultValue={days === null ? undefined : dayIn(Math.min(days, (maxDays ?? Infinity) - 1))}
        />
      )}
    </div>
  );
}

function hintFor(choice: string): string {
  if (choice === 'date') return 'Any day from tomorrow.';
  if (choice === 'never') return 'A key that expires does less harm when it leaks.';
  return `On ${dateOf(daysFrom(Date.now(), Number(choice)))}.`;
}

const daysFrom = (since: number, days: number) => new Date(since + days * dayMs).toISOString();

const dayIn = (days: number) => localDayOf(daysFrom(Date.now(), days));

const endOfDay = (values: FormData) => new Date(`${textOf(values, 'date')}T23:59:59.999`);

/**
 * The chosen expiry, whose date is valid; null: never.
 * @param since the same at each press, so that the service recognizes the repeated request
 */
function expiryOf(values: FormData, since: number): string | null {
  const choice = textOf(values, 'expiry');
  if (choice === 'never') return null;
  return choice === 'date' ? endOfDay(values).toISOString() : daysFrom(since, Number(choice));
}

interface RestrictionProps extends ReturnType<typeof useServers> {
  keys: KeyList;
  linkedServers: string[];
}

/** Restricts a key to some of the user's servers, and to addresses. Folded away at first. */
function restrictions({ keys, linkedServers, servers, failure }: RestrictionProps) {
  const preset = servers?.filter((server) => linkedServers.some((name) => isNamed(server, name))) ?? [];
  const serverChoices = {
    name: 'servers',
    legend: 'Servers',
    // A key without servers would reach all of them.
    missing: linkedServers.length > 0 ? missingServer : undefined,
    choices: (servers ?? []).map(choiceOf),
    preset: preset.map(({ identifier }) => identifier),
    children: (
      <>
        <p class="note">With none chosen, the key reaches all your servers.</p>
        {servers?.length === 0 && <p class="note">You have no servers.</p>}
        {failure && <p class="note is-danger">{failure}</p>}
      </>
    ),
  } as const;
  return {
    summary: 'Restrict it to servers or addresses',
    isOpen: linkedServers.length > 0,
    fields: [serverChoices, keys.can_restrict_addresses ? addressesField : noAddresses],
  } as const;
}

const addressesField = {
  name: 'addresses',
  label: 'Addresses',
  hint: 'One or several, such as 203.0.113.7 or 2001:db8::/48. Empty: from anywhere.',
  rows: 2,
  read: listBy(/[\s,]+/),
} as const;

const noAddresses = (
  <p class="note">Addresses cannot be restricted here: the service does not see where calls come from.</p>
);

const missingServer = 'The link requests a key for certain servers only: choose at least one.';

const choiceOf = ({ identifier, name }: Server) => ({
  value: identifier,
  content: (
    <>
      <bdi>{name}</bdi> <code>{identifier}</code>
    </>
  ),
});
