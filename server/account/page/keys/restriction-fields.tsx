/** What a key is restricted to: servers of the user's, and addresses. Closed until it is wanted. */
import type { Server } from '../api.ts';
import { Choices, Field } from '../field.tsx';
import { textOf } from '../form.tsx';

interface Props {
  /** The user's; null until they have arrived. */
  servers: readonly Server[] | null;
  failure: string | null;
  canRestrictAddresses: boolean;
}

export function RestrictionFields({ servers, failure, canRestrictAddresses }: Props) {
  return (
    <details class="restrictions">
      <summary>Restrict it to servers or addresses</summary>
      <Choices
        legend="Servers"
        name="server"
        choices={(servers ?? []).map(choiceOf)}
        empty={servers && <p class="note">You have no servers.</p>}
      >
        <p class="note">With none chosen it reaches all your servers.</p>
        {failure && <p class="note is-danger">{failure}</p>}
      </Choices>
      {canRestrictAddresses ? (
        <Field
          label="Addresses"
          hint="One or several, such as 203.0.113.7 or 2001:db8::/48. Empty: from anywhere."
        >
          {(inputProps) => <textarea {...inputProps} name="addresses" rows={2} maxLength={4000} />}
        </Field>
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
export function restrictionsOf(values: FormData) {
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
