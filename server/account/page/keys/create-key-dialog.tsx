/** Creates a key: name, scopes, expiry and restrictions. */
import { useState } from 'preact/hooks';
import type { Api, IssuedKey, KeyList } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { Choices, scopeChoices } from '../field.tsx';
import { type FormField, textOf } from '../form.tsx';
import { useServers } from '../use-servers.ts';
import { ExpiryFields, expiryOf, isDateWrong } from './expiry-fields.tsx';
import { RestrictionFields, restrictionsOf } from './restriction-fields.tsx';

interface Props {
  keys: KeyList;
  onCreated(issued: IssuedKey): Promise<unknown>;
}

export function CreateKeyDialog({ keys, onCreated }: Props) {
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
      draft="key"
      fieldCount={servers?.length ?? 0}
      fields={[nameField]}
      check={problemsOf}
      send={create}
    >
      {(problems) => (
        <>
          <Choices
            legend="Scopes"
            name="scope"
            choices={scopeChoices(keys.grantable_scopes)}
            error={problems['scopes']}
          />
          <ExpiryFields maxDays={keys.max_days} error={problems['expiry']} />
          <RestrictionFields {...{ servers, failure }} canRestrictAddresses={keys.can_restrict_addresses} />
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

const problemsOf = (values: FormData) => ({
  scopes: values.has('scope') ? undefined : 'Choose at least one scope.',
  expiry: isDateWrong(values) ? 'Choose a date in the future, with a year of four digits.' : undefined,
});
