/**
 * Sets a password, which ends all other sessions: from the account menu, or after a sign-in by a mailed link, where the
 * user can skip it.
 */
import type { User } from './api.ts';
import { FormDialog } from './dialog.tsx';
import { type Fields, keepText, textOf } from './fields.tsx';
import { Form } from './form.tsx';
import { useShell } from './shell.ts';
import { useQuery } from './use-query.ts';

const input = { type: 'password', autocomplete: 'new-password', read: keepText } as const;

const newPasswordFields = (lengthMin: number) =>
  [
    {
      name: 'new_password',
      label: 'New password',
      hint: `At least ${lengthMin} characters, and hard to guess.`,
      missing: 'Enter a new password.',
      ...input,
    },
    { name: 'again', label: 'New password again', hint: 'All other sessions will end.', ...input },
  ] as const satisfies Fields;

const currentPasswordField = {
  name: 'current_password',
  label: 'Current password',
  missing: 'Enter your current password.',
  type: 'password',
  autocomplete: 'current-password',
  read: keepText,
} as const;

const checkNewPassword = (values: FormData) => ({
  again:
    textOf(values, 'new_password') === textOf(values, 'again') ? undefined : 'The passwords do not match.',
});

export function PasswordDialog({ email }: { email: string }) {
  // A user who came by link or single sign-on may have no password. Until the page knows, and if it cannot, it
  // requires one.
  const { content } = useQuery((api) => api.session.current.query());
  const asksPassword = content?.asks_password ?? true;
  const { password_length_min } = useShell().settings;
  return (
    <FormDialog
      title="Change password"
      label="Change password"
      username={email}
      request="session.changePassword"
      fields={[asksPassword && currentPasswordField, ...newPasswordFields(password_length_min)]}
      check={checkNewPassword}
      send={async (api, { current_password, new_password }) => {
        await api.session.changePassword.mutate({ current_password, new_password });
        return 'Password changed. Other sessions have ended.';
      }}
    />
  );
}

export interface SettablePassword {
  /** Whether the user has no password, or one that they may have forgotten. */
  kind: 'missing' | 'replaceable';
  user: User;
}

const reasons = {
  missing: 'You have no password yet. Set one to sign in without a mail.',
  replaceable: 'Forgot your password? Set a new one. You do not need the old one now.',
};

export function SetPassword({ kind, user, onDone }: SettablePassword & { onDone(): void }) {
  const { api, notify, settings } = useShell();
  return (
    <>
      <p>{reasons[kind]}</p>
      <Form
        label="Set password"
        username={user.email}
        request="session.changePassword"
        fields={newPasswordFields(settings.password_length_min)}
        check={checkNewPassword}
        send={async ({ new_password }) => {
          await api.session.changePassword.mutate({ new_password });
          notify('Password set.');
          onDone();
        }}
      />
      <p class="note">
        <button type="button" class="link" onClick={onDone}>
          Skip for now
        </button>
      </p>
    </>
  );
}
