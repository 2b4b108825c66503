/** Changes the password, which ends all other sessions. */
import type { Api, Settings } from './api.ts';
import { FormDialog } from './dialog.tsx';
import { type FormField, textOf } from './form.tsx';
import { useShell } from './shell.ts';
import { useQuery } from './use-query.ts';

export function PasswordDialog({ email }: { email: string }) {
  const { settings } = useShell();
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
  const current = {
    name: 'current_password',
    label: 'Current password',
    missing: 'Enter your current password.',
  };
  const fields: FormField[] = [
    ...(asksPassword ? [{ ...current, type: 'password', autocomplete: 'current-password' } as const] : []),
    ...newPasswordFields(settings),
  ];
  return (
    <FormDialog
      title="Change password"
      label="Change password"
      {...{ fields, username: email, check: checkNewPassword, send: change }}
    />
  );
}

const newPassword = { type: 'password', autocomplete: 'new-password' } as const;

/** Typed twice, and checked by `checkNewPassword`. */
export function newPasswordFields({ password_length_min }: Settings): FormField[] {
  const hint = `At least ${password_length_min} characters, and hard to guess.`;
  return [
    { name: 'new_password', label: 'New password', hint, missing: 'Enter a new password.', ...newPassword },
    { name: 'again', label: 'New password again', hint: 'All other sessions will end.', ...newPassword },
  ];
}

export const checkNewPassword = (values: FormData) => ({
  again:
    textOf(values, 'new_password') === textOf(values, 'again') ? undefined : 'The passwords do not match.',
});
