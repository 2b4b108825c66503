/** The header: logo, links to the documentation and the news, and the account menu with its dialogs. */
import type { ComponentChildren, VNode } from 'preact';
import { type Api, endSession, type OwnSession, type User } from './api.ts';
import { Logo } from './brand.tsx';
import { ActionButton } from './controls.tsx';
import { Dialog, FormDialog, useDialog } from './dialog.tsx';
import { focus } from './focus.ts';
import { FailureNotice } from './form.tsx';
import { Icon } from './icon.tsx';
import { Item } from './item.tsx';
import { Menu, MenuItem } from './menu.tsx';
import { PasswordDialog } from './password.tsx';
import { useAction, useFailureToast, useShell } from './shell.ts';
import { Time } from './time.tsx';
import { useQuery } from './use-query.ts';
import { ResourceView } from './view.tsx';

type Props = { user: User; onSignedOut(): void };

/** @param children stands before the account menu */
export function Header({ children, ...props }: Props & { children?: ComponentChildren }) {
  const { dialog, show } = useDialog();
  /** The fragment of the address names the section, so it cannot name the content. */
  const skip = (event: MouseEvent) => {
    event.preventDefault();
    focus(document.querySelector('main h1'));
  };
  return (
    <header class="header">
      {/* biome-ignore lint/a11y/useValidAnchor: it moves the focus to a part of the page, as a link does */}
      <a class="button is-primary visually-hidden skip-link" href="#content" onClick={skip}>
        Skip to content
      </a>
      <div class="header-inner">
        <Logo />
        <nav class="header-nav" aria-label="Main">
          <a class="header-link" href="/api/v1/docs" aria-label="Documentation">
            <Icon name="book" />
            <span>Documentation</span>
          </a>
          {children}
          <AccountMenu {...props} onOpen={show} />
        </nav>
      </div>
      {dialog}
    </header>
  );
}

function AccountMenu({ user, onSignedOut, onOpen }: Props & { onOpen(dialog: VNode): void }) {
  const { api, settings } = useShell();
  const { failure, run } = useAction();
  useFailureToast(failure);
  const signOut = () => run(() => endSession(api, onSignedOut));
  /**
   * Staff can sign in at the identity provider only after linking it; others are linked by their first sign-in there.
   */
  const linkIdentity = () =>
    run(async () => location.assign((await api.session.startSingleSignOn.mutate()).url));
  const name = user.nickname ?? user.first_name;
  return (
    <Menu
      label="Your account"
      class="account-button"
      button={
        <>
          <span class="avatar" dir="auto" aria-hidden="true">
            {(name ?? user.email).charAt(0).toUpperCase()}
          </span>
          <Icon name="chevron" />
        </>
      }
    >
      <p class="menu-head">
        <strong dir="auto">{name ?? 'Signed in'}</strong>
        <bdi class="note is-cut">{user.email}</bdi>
      </p>
      {settings.password_sign_in && (
        <MenuItem onClick={() => onOpen(<PasswordDialog email={user.email} />)}>Change password</MenuItem>
      )}
      <MenuItem onClick={() => onOpen(<SessionsDialog />)}>Sessions</MenuItem>
      {settings.mail && <MenuItem onClick={() => onOpen(<MailDialog />)}>Mail</MenuItem>}
      {settings.single_sign_on !== null && (user.admin || user.support) && (
        <MenuItem onClick={linkIdentity}>{`Link ${settings.single_sign_on}`}</MenuItem>
      )}
      <MenuItem onClick={signOut}>Sign out</MenuItem>
    </Menu>
  );
}

const readSessions = async (api: Api) => (await api.sessions.list.query()).sessions;

function SessionsDialog() {
  const query = useQuery(readSessions);
  const { content: sessions, isBusy, load } = query;
  const change = async (end: (api: Api) => Promise<unknown>) => {
    if (isBusy) return;
    await load(async (api) => {
      await end(api);
      return readSessions(api);
    });
  };
  const endOthers = () => change((api) => api.sessions.endOthers.mutate());
  return (
    <Dialog title="Your sessions">
      <FailureNotice of={query} />
      <ul class="panel" aria-label="Sessions">
        {sessions?.map((session) => (
          <SessionItem
            key={session.id}
            {...{ session, isBusy }}
            onEnd={() => change((api) => api.sessions.end.mutate({ id: session.id }))}
          />
        ))}
      </ul>
      {sessions && sessions.length > 1 && (
        <div class="form-actions">
          <button type="button" class="button is-danger" aria-disabled={isBusy} onClick={endOthers}>
            Sign out all others
          </button>
        </div>
      )}
    </Dialog>
  );
}

function SessionItem(props: { session: OwnSession; isBusy: boolean; onEnd(): void }) {
  const { device, last_seen_at, is_current } = props.session;
  const name = device ?? 'Unknown device';
  return (
    <Item
      title={name}
      about={
        <p class="note">
          Last seen <Time iso={last_seen_at} isRelative />
        </p>
      }
      actions={
        is_current ? (
          <span class="badge">This one</span>
        ) : (
          <ActionButton label="Sign out" about={name} isBusy={props.isBusy} onAct={props.onEnd} />
        )
      }
    />
  );
}

function MailDialog() {
  const query = useQuery((api) => api.notices.get.query());
  const kinds = query.content?.kinds;
  const boxes =
    kinds &&
    ({
      name: 'kinds',
      legend: 'Mail me when',
      choices: kinds.map(({ kind, sentence }) => ({ value: kind, content: sentence })),
      preset: kinds.filter(({ is_wanted }) => is_wanted).map(({ kind }) => kind),
      children: (
        <p class="note">
          You always get mail about new and leaked keys, connected apps, and changes to your password or
          address. A link by mail also helps if you forget your password: without it, only your host can help
          you.
        </p>
      ),
    } as const);
  return (
    <FormDialog
      title="Mail"
      label="Save"
      request="notices.change"
      fields={[boxes]}
      send={async (api, { kinds }) => {
        // Without checkboxes there was nothing to choose.
        if (!boxes) return 'Nothing was changed.';
        await api.notices.change.mutate({ kinds });
        return 'Saved.';
      }}
    >
      {!boxes && <ResourceView of={query}>{() => null}</ResourceView>}
    </FormDialog>
  );
}
