/** The header: logo, link to the documentation, account menu. */
import type { VNode } from 'preact';
import { endSession, type User } from './api.ts';
import { Logo } from './brand.tsx';
import { useDialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { MailDialog } from './mail-dialog.tsx';
import { PasswordDialog } from './password.tsx';
import { SessionsDialog } from './sessions-dialog.tsx';
import { useAction, useShell, useToldFailure } from './shell.ts';

interface Props {
  user: User;
  onSignedOut(): void;
}

export function Header({ user, onSignedOut }: Props) {
  const { dialog, show } = useDialog();
  return (
    <header class="header">
      <div class="header-inner">
        <Logo />
        <nav class="header-nav" aria-label="Main">
          <a class="header-link" href="/api/v1/docs" aria-label="Documentation">
            <Icon name="book" />
            <span>Documentation</span>
          </a>
          <AccountMenu user={user} onOpen={show} onSignedOut={onSignedOut} />
        </nav>
      </div>
      {dialog}
    </header>
  );
}

function AccountMenu({ user, onSignedOut, onOpen }: Props & { onOpen(dialog: VNode): void }) {
  const { api, settings } = useShell();
  const { failure, run } = useAction();
  useToldFailure(failure);
  const signOut = () => run(() => endSession(api, onSignedOut));
  /** Staff signs in at the identity provider only after this; others are linked by their first sign-in there. */
  const linkIdentity = () =>
    run(async () => location.assign((await api.session.startSingleSignOn.mutate()).url));
  const name = user.nickname ?? user.first_name;
  return (
    <>
      <button type="button" class="account-button" popovertarget="account-menu" aria-label="Your account">
        <span class="avatar" dir="auto" aria-hidden="true">
          {(name ?? user.email).charAt(0).toUpperCase()}
        </span>
        <Icon name="chevron" />
      </button>
      <div id="account-menu" class="menu" popover="auto">
        <p class="menu-head">
          <strong dir="auto">{name ?? 'Signed in'}</strong>
          <span dir="auto">{user.email}</span>
        </p>
        {settings.password_sign_in && (
          <OpenItem onClick={() => onOpen(<PasswordDialog email={user.email} />)}>Change password</OpenItem>
        )}
        <OpenItem onClick={() => onOpen(<SessionsDialog />)}>Sessions</OpenItem>
        {settings.mail && <OpenItem onClick={() => onOpen(<MailDialog />)}>Mail</OpenItem>}
        {settings.single_sign_on !== null && (user.admin || user.support) && (
          <button type="button" class="menu-item" onClick={linkIdentity}>
            {`Link ${settings.single_sign_on}`}
          </button>
        )}
        <button type="button" class="menu-item" onClick={signOut}>
          Sign out
        </button>
      </div>
    </>
  );
}

/** Opens a dialog and closes the menu. */
const OpenItem = ({ onClick, children }: { onClick: () => void; children: string }) => (
  <button type="button" class="menu-item" popovertarget="account-menu" onClick={onClick}>
    {children}
  </button>
);
