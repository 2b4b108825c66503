/** Changes the password, which ends all other sessions. */
import { useEffect, useState } from 'preact/hooks';
import { DialogForm } from './dialog.tsx';
import { Field } from './field.tsx';
import { textOf } from './form.tsx';
import { useAction, useShell } from './shell.ts';

export function PasswordDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const { api, notify } = useShell();
  const action = useAction();
  const [problems, setProblems] = useState<Problems>({});
  const hasPassword = useHasPassword();
  const change = (values: FormData) => {
    const found = problemsOf(values);
    setProblems(found);
    if (Object.keys(found).length > 0) return undefined;
    return action.run(async () => {
      await api.session.changePassword.mutate({
        ...(hasPassword && { current_password: textOf(values, 'current') }),
        new_password: textOf(values, 'new'),
      });
      onClose();
      notify('Password changed. Other sessions have ended.');
    });
  };
  return (
    <DialogForm
      title="Change password"
      label="Change password"
      action={action}
      onSubmit={change}
      onInput={() => setProblems({})}
      onClose={onClose}
    >
      {/* Password managers read here whose password changes. */}
      <input name="username" type="text" autocomplete="username" value={email} readOnly hidden />
      <PasswordFields hasPassword={hasPassword} problems={problems} />
    </DialogForm>
  );
}

interface Problems {
  current?: string;
  next?: string;
  again?: string;
}

function problemsOf(values: FormData): Problems {
  const next = textOf(values, 'new');
  return {
    ...(values.get('current') === '' && { current: 'Enter your current password.' }),
    ...(next === '' && { next: 'Enter a new password.' }),
    ...(next !== textOf(values, 'again') && { again: 'The passwords do not match.' }),
  };
}

/** A user who came by link or single sign-on may have none. */
function useHasPassword(): boolean {
  const { api } = useShell();
  const [hasPassword, setHasPassword] = useState(true);
  useEffect(() => {
    const load = async () => setHasPassword((await api.session.current.query()).has_password);
    load().catch(() => {}); // the form then asks for a password, and its own request reports the failure
  }, [api]);
  return hasPassword;
}

interface FieldsProps {
  hasPassword: boolean;
  problems: Problems;
}

function PasswordFields({ hasPassword, problems }: FieldsProps) {
  const { settings } = useShell();
  return (
    <>
      {hasPassword && (
        <Field label="Current password" error={problems.current}>
          {(inputProps) => (
            <input {...inputProps} name="current" type="password" autocomplete="current-password" />
          )}
        </Field>
      )}
      <Field
        label="New password"
        hint={`At least ${settings.password_length_min} characters, and hard to guess.`}
        error={problems.next}
      >
        {(inputProps) => <input {...inputProps} name="new" type="password" autocomplete="new-password" />}
      </Field>
      <Field label="New password again" hint="All other sessions will end." error={problems.again}>
        {(inputProps) => <input {...inputProps} name="again" type="password" autocomplete="new-password" />}
      </Field>
    </>
  );
}
