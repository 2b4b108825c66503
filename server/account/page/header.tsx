/** The bar at the top: the product, the documentation, and whose account this is. */
import { useEffect, useState } from 'preact/hooks';
import type { User } from './api.ts';
import { Icon, Logo } from './icon.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { useAction, useShell } from './shell.ts';

interface Props {
  user: User;
  onSignedOut(): void;
}

export function Header({ user, onSignedOut }: Props) {
  const [isChanging, setChanging] = useState(false);
  return (
    <header class="header">
      <div class="header-inner">
        <Logo />
        <nav class="header-nav" aria-label="Main">
          <a class="header-link" href="/api/v1/docs" aria-label="Documentation">
            <Icon name="book" />
            <span>Documentation</span>
          </a>
          <AccountMenu user={user} onChange={() => setChanging(true)} onSignedOut={onSignedOut} />
        </nav>
      </div>
      {isChanging && <PasswordDialog onClose={() => setChanging(false)} />}
    </header>
  );
}

function AccountMenu({ user, onSignedOut, onChange }: Props & { onChange: () => void }) {
  const { api, say } = useShell();
  const { failure, run } = useAction();
  const signOut = () =>
    run(async () => {
      await api.session.signOut.mutate();
      onSignedOut();
    });
  useEffect(() => {
    if (failure) say(failure);
  }, [failure, say]);
  return (
    <>
      <button type="button" class="account-button" popovertarget="account-menu" aria-label="Your account">
        <span class="avatar" aria-hidden="true">
          {initialOf(user)}
        </span>
        <Icon name="chevron" />
      </button>
      <div id="account-menu" class="menu" popover="auto">
        <p class="menu-head">
          <strong>{user.nickname ?? user.first_name ?? 'Signed in'}</strong>
          <span>{user.email}</span>
        </p>
        <button type="button" class="menu-item" popovertarget="account-menu" onClick={onChange}>
          Change password
        </button>
        <button type="button" class="menu-item" onClick={signOut}>
          Sign out
        </button>
      </div>
    </>
  );
}

const initialOf = ({ nickname, first_name, email }: User) =>
  (nickname ?? first_name ?? email).charAt(0).toUpperCase();
