/** Asks a user who came by a link from a mail for a password, which may be skipped. */
import type { User } from './api.ts';
import { Form, textOf } from './form.tsx';
import { checkNewPassword, newPasswordFields } from './password-dialog.tsx';
import { useShell } from './shell.ts';

export interface SettablePassword {
  /** Whether there is none yet, or one that may be forgotten. */
  kind: 'missing' | 'replaceable';
  user: User;
}

const reasons = {
  missing: 'You have no password yet. With one you can sign in without a mail.',
  replaceable: 'Forgot your password? Set a new one; the old one is not needed now.',
};

export function SetPassword({ kind, user, onDone }: SettablePassword & { onDone(): void }) {
  const { api, settings, notify } = useShell();
  const send = async (values: FormData) => {
    await api.session.changePassword.mutate({ new_password: textOf(values, 'new_password') });
    notify('Password set.');
    onDone();
  };
  return (
    <>
      <p>{reasons[kind]}</p>
      <Form
        label="Set password"
        fields={newPasswordFields(settings)}
        username={user.email}
        check={checkNewPassword}
        send={send}
      />
      <p class="note mailed-link">
        <button type="button" class="link" onClick={onDone}>
          Skip for now
        </button>
      </p>
    </>
  );
}
