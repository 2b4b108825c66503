/** Creates a key: name, scopes, expiry and restrictions. */
import { useState } from 'preact/hooks';
import type { IssuedKey, KeyList } from './api.ts';
import { DialogForm } from './dialog.tsx';
import { ExpiryFields, expiryOf, isDateWrong } from './expiry-fields.tsx';
import { Field } from './field.tsx';
import { textOf } from './form.tsx';
import { RestrictionFields, restrictionsOf, useServers } from './restriction-fields.tsx';
import { ScopeFields } from './scope-fields.tsx';
import { useAction, useShell } from './shell.ts';

interface Props {
  keys: KeyList;
  onClose(): void;
  onCreated(issued: IssuedKey): Promise<unknown>;
}

interface Problems {
  name?: string;
  scopes?: string;
  expiry?: string;
}

export function CreateDialog({ keys, onClose, onCreated }: Props) {
  const { api } = useShell();
  const action = useAction();
  const [problems, setProblems] = useState<Problems>({});
  const { servers, failure } = useServers();
  const [openedAt] = useState(() => Date.now());
  const create = (values: FormData) => {
    const found = problemsOf(values);
    setProblems(found);
    if (Object.keys(found).length > 0) return undefined;
    return action.run(async () => {
      const scopes = values.getAll('scope').map(String);
      const expires_at = expiryOf(values, openedAt);
      const request = { name: textOf(values, 'name'), scopes, expires_at, ...restrictionsOf(values) };
      await onCreated(await api.keys.create.mutate(request));
    });
  };
  return (
    <DialogForm
      title="Create a key"
      label="Create key"
      draft="key"
      fieldCount={servers?.length ?? 0}
      action={action}
      onSubmit={create}
      onInput={() => setProblems({})}
      onClose={onClose}
    >
      <Field label="Name" hint="What will use it, such as “Deploy script”." error={problems.name}>
        {(inputProps) => <input {...inputProps} name="name" maxLength={100} autocomplete="off" autofocus />}
      </Field>
      <ScopeFields scopes={keys.grantable_scopes} error={problems.scopes} />
      <ExpiryFields maxDays={keys.max_days} error={problems.expiry} />
      <RestrictionFields {...{ servers, failure }} canRestrictAddresses={keys.can_restrict_addresses} />
    </DialogForm>
  );
}

function problemsOf(values: FormData): Problems {
  const isNamed = textOf(values, 'name').trim() !== '';
  return {
    ...(!isNamed && { name: 'Give the key a name.' }),
    ...(!values.has('scope') && { scopes: 'Choose at least one scope.' }),
    ...(isDateWrong(values) && { expiry: 'Choose a date in the future, with a year of four digits.' }),
  };
}
