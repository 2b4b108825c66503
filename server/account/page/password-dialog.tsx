/** Changes the password, which ends all other sessions. */
import { useEffect, useState } from 'preact/hooks';
import { DialogForm } from './dialog.tsx';
import { Field } from './field.tsx';
import { textOf } from './form.tsx';
import { useAction, useShell } from './shell.ts';

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { api, notify } = useShell();
  const action = useAction();
  const [mismatch, setMismatch] = useState<string>();
  const hasPassword = useHasPassword();
  const change = (values: FormData) => {
    const [current, next] = [textOf(values, 'current'), textOf(values, 'new')];
    const isSame = next === textOf(values, 'again');
    setMismatch(isSame ? undefined : 'The passwords do not match.');
    if (!isSame) return;
    action.run(async () => {
      await api.session.changePassword.mutate({
        ...(hasPassword && { current_password: current }),
        new_password: next,
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
      onClose={onClose}
    >
      <PasswordFields hasPassword={hasPassword} mismatch={mismatch} />
    </DialogForm>
  );
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
  mismatch: string | undefined;
}

function PasswordFields({ hasPassword, mismatch }: FieldsProps) {
  const { settings } = useShell();
  return (
    <>
      {hasPassword && (
        <Field label="Current password">
          {(inputProps) => (
            <input {...inputProps} name="current" type="password" autocomplete="current-password" />
          )}
        </Field>
      )}
      <Field
        label="New password"
        hint={`At least ${settings.password_length_min} characters, and hard to guess.`}
      >
        {(inputProps) => <input {...inputProps} name="new" type="password" autocomplete="new-password" />}
      </Field>
      <Field label="New password again" hint="All other sessions will end." error={mismatch}>
        {(inputProps) => <input {...inputProps} name="again" type="password" autocomplete="new-password" />}
      </Field>
    </>
  );
}
