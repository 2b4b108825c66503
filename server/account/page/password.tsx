/** A new password: in place of another, which ends all other sessions, or after a link from a mail, where it may be skipped. */
import type { Api, User } from './api.ts';
import { FormDialog } from './dialog.tsx';
import { InputField } from './field.tsx';
import { Form, textOf } from './form.tsx';
import { useShell } from './shell.ts';
import { useQuery } from './use-query.ts';

/** Typed twice. */
function NewPasswordFields() {
  const { password_length_min } = useShell().settings;
  const input = { type: 'password', autocomplete: 'new-password' } as const;
  return (
    <>
      <InputField
        name="new_password"
        label="New password"
        hint={`At least ${password_length_min} characters, and hard to guess.`}
        missing="Enter a new password."
        {...input}
      />
      <InputField name="again" label="New password again" hint="All other sessions will end." {...input} />
    </>
  );
}

const checkNewPassword = (values: FormData) => ({
  again:
    textOf(values, 'new_password') === textOf(values, 'again') ? undefined : 'The passwords do not match.',
});

export function PasswordDialog({ email }: { email: string }) {
  // A user who came by link or single sign-on may need none. Until that is known, and where it cannot be, one is asked for.
  const { content } = useQuery((api) => api.session.current.query());
  const asksPassword = content?.asks_password ?? true;
  const change = async (api: Api, values: FormData) => {
    await api.session.changePassword.mutate({
      ...(asksPassword && { current_password: textOf(values, 'current_password') }),
      new_password: textOf(values, 'new_password'),
    });
    return 'Password changed. Other sessions have ended.';
  };
  return (
    <FormDialog
      title="Change password"
      label="Change password"
      username={email}
      check={checkNewPassword}
      send={change}
    >
      {asksPassword && (
        <InputField
          name="current_password"
          label="Current password"
          missing="Enter your current password."
          type="password"
          autocomplete="current-password"
        />
      )}
      <NewPasswordFields />
    </FormDialog>
  );
}

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
  const { api, notify } = useShell();
  const send = async (values: FormData) => {
    await api.session.changePassword.mutate({ new_password: textOf(values, 'new_password') });
    notify('Password set.');
    onDone();
  };
  return (
    <>
      <p>{reasons[kind]}</p>
      <Form label="Set password" username={user.email} check={checkNewPassword} send={send}>
        <NewPasswordFields />
      </Form>
      <p class="note">
        <button type="button" class="link" onClick={onDone}>
          Skip for now
        </button>
      </p>
    </>
  );
}
