/** A new password, which ends all other sessions. */
import { useState } from 'preact/hooks';
import { DialogForm } from './dialog.tsx';
import { Field } from './field.tsx';
import { textOf } from './form.tsx';
import { useAction, useShell } from './shell.ts';

export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { api, say } = useShell();
  const action = useAction();
  const [mismatch, setMismatch] = useState<string>();
  const change = (values: FormData) => {
    const [current, next] = [textOf(values, 'current'), textOf(values, 'new')];
    const isSame = next === textOf(values, 'again');
    setMismatch(isSame ? undefined : 'This is not the same password.');
    if (!isSame) return;
    action.run(async () => {
      await api.session.changePassword.mutate({ current_password: current, new_password: next });
      onClose();
      say('Password changed. Other sessions have ended.');
    });
  };
  return (
    <DialogForm
      title="Change password"
      label="Change password"
      action={action}
      onSend={change}
      onClose={onClose}
    >
      <Field label="Current password">
        {(ties) => <input {...ties} name="current" type="password" autocomplete="current-password" />}
      </Field>
      <Field label="New password" hint="At least 12 characters.">
        {(ties) => <input {...ties} name="new" type="password" autocomplete="new-password" />}
      </Field>
      <Field label="New password again" hint="All other sessions will end." error={mismatch}>
        {(ties) => <input {...ties} name="again" type="password" autocomplete="new-password" />}
      </Field>
    </DialogForm>
  );
}
