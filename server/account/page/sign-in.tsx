/** The sign-in card: by password, at the identity provider, or by a link. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { codeOf, describeFailure, type User } from './api.ts';
import { Logo } from './brand.tsx';
import { keepDestination, takeDestination } from './destination.ts';
import { useKeptFocus } from './focus.ts';
import { Form, type FormField, textOf, trimmedOf } from './form.tsx';
import { Icon } from './icon.tsx';
import { readKeyLink } from './keys/key-link.ts';
import { emailField, MailedLink } from './mailed-link.tsx';
import { SetPassword, type SettablePassword } from './set-password.tsx';
import { useShell } from './shell.ts';

interface Props {
  notice: string | null;
  /** What the user signs in for. */
  purpose: string;
  /** The token of the sign-in link that the page was opened with. */
  linkToken: string | null;
  /** The user who is signed in already and needs no link; null where none is. */
  user: User | null;
  onSignedIn(user: User): void;
}

export function SignIn({ notice, purpose, linkToken, user, ...props }: Props) {
  const { link, refusal, onRefused } = useLink(linkToken);
  const onSignedIn = useDestination(props.onSignedIn);
  const [settable, setSettable] = useState<SettablePassword | null>(null);
  useKeptFocus(
    settable?.kind ?? link?.is ?? 'ways',
    () => document.querySelector('.card input') ?? document.querySelector('.card button'),
  );
  if (settable)
    return (
      <Card title="Your password" notice={null} purpose={`for ${settable.user.email}`}>
        <SetPassword {...settable} onDone={() => onSignedIn(settable.user)} />
      </Card>
    );
  if (link?.is === 'checking') return <Card notice={null} purpose={purpose} />;
  return (
    <Card notice={refusal ?? notice} purpose={purpose}>
      {link ? (
        <LinkForm {...link} onSignedIn={onSignedIn} onSettable={setSettable} onRefused={onRefused} />
      ) : (
        <Ways user={user} onSignedIn={onSignedIn} />
      )}
      <Help />
    </Card>
  );
}

/** A link to a new key is kept for a sign-in that ends at another address, and dropped when the user has signed in here. */
function useDestination(onSignedIn: Props['onSignedIn']): Props['onSignedIn'] {
  useEffect(() => {
    if (readKeyLink(location)) keepDestination();
  }, []);
  return (user) => {
    takeDestination();
    onSignedIn(user);
  };
}

/** All ways to sign in but by a link. */
function Ways({ user, onSignedIn }: Pick<Props, 'user' | 'onSignedIn'>) {
  const { settings } = useShell();
  const [isMailing, setIsMailing] = useState(false);
  return (
    <>
      {user && <GoOn user={user} onSignedIn={onSignedIn} />}
      {settings.single_sign_on !== null && <SingleSignOnForm name={settings.single_sign_on} />}
      {settings.password_sign_in && !isMailing && <PasswordForm onSignedIn={onSignedIn} />}
      {settings.password_sign_in && settings.mail && (
        <MailedLink isOpen={isMailing} onToggle={setIsMailing} />
      )}
      {!settings.password_sign_in && settings.single_sign_on === null && (
        <p class="note">Open this page from your host's customer area to sign in.</p>
      )}
    </>
  );
}

const GoOn = ({ user, onSignedIn }: { user: User } & Pick<Props, 'onSignedIn'>) => (
  <div class="form">
    <p>
      You are signed in as <strong>{user.email}</strong>.
    </p>
    <button type="button" class="button" onClick={() => onSignedIn(user)}>
      Go to your account
    </button>
  </div>
);

/** What the host says to who cannot sign in. */
function Help() {
  const { sign_in_help: help } = useShell().settings;
  if (!help) return null;
  const isAddress = /^(https?:\/\/|mailto:)\S+$/.test(help);
  return (
    <p class="note sign-in-help">
      {isAddress ? (
        <>
          Cannot sign in? <a href={help}>Get help from your host</a>
        </>
      ) : (
        help
      )}
    </p>
  );
}

const wholeToken = /^[\w-]{43}$/;
const damagedLink =
  'This sign-in link is damaged, as some programs cut or change long addresses. Copy the whole address from the mail into your browser, or get a new link.';

type LinkState = { is: 'checking' } | { is: 'valid'; token: string; email: string };

/** Whose account a link opens; a link that is refused leads on to the other ways to sign in. */
function useLink(token: string | null) {
  const { api } = useShell();
  const [link, setLink] = useState<LinkState | null>(token === null ? null : { is: 'checking' });
  const [refusal, setRefusal] = useState<string | null>(null);
  const refuse = (why: string) => {
    setRefusal(why);
    setLink(null);
  };
  const onRefused = (failure: unknown) => refuse(describeFailure(failure).message);
  const check = async (token: string) => {
    const { email } = await api.session.readLink.mutate({ token });
    setLink({ is: 'valid', token, email });
  };
  useEffect(() => {
    if (token === null) return;
    if (wholeToken.test(token)) check(token).catch(onRefused);
    else refuse(damagedLink);
  }, [token]);
  return { link, refusal, onRefused };
}

const Card = ({ title = 'Sign in', notice, purpose, children }: CardProps) => (
  <main class="sign-in">
    <Logo />
    <section class="card">
      <h1>{title}</h1>
      <p class="lede">{purpose}</p>
      {notice && (
        <p class="notice" role="status">
          <Icon name="alert" />
          {notice}
        </p>
      )}
      {children}
    </section>
    <p class="sign-in-foot">
      Building something? <a href="/api/v1/docs">Read the API documentation</a>
    </p>
  </main>
);

interface CardProps extends Pick<Props, 'notice' | 'purpose'> {
  title?: string;
  children?: ComponentChildren;
}

const passwordFields: FormField[] = [
  emailField,
  {
    name: 'password',
    label: 'Password',
    missing: 'Enter your password.',
    type: 'password',
    autocomplete: 'current-password',
  },
];

function PasswordForm({ onSignedIn }: Pick<Props, 'onSignedIn'>) {
  const { api } = useShell();
  const signIn = async (values: FormData) => {
    const request = { email: trimmedOf(values, 'email'), password: textOf(values, 'password') };
    onSignedIn((await api.session.signIn.mutate(request)).user);
  };
  return <Form label="Sign in" isSignIn fields={passwordFields} send={signIn} />;
}

function SingleSignOnForm({ name }: { name: string }) {
  const { api } = useShell();
  const start = async () => {
    const { url } = await api.session.startSingleSignOn.mutate();
    keepDestination();
    location.assign(url);
  };
  return <Form label={`Continue with ${name}`} isSignIn send={start} />;
}

interface LinkProps extends Pick<Props, 'onSignedIn'> {
  token: string;
  email: string;
  onSettable(settable: SettablePassword): void;
  onRefused(failure: unknown): void;
}

/** Only the button uses the link, so that a preview of its address does not. */
function LinkForm({ token, email, onSignedIn, onSettable, onRefused }: LinkProps) {
  const { api } = useShell();
  const signIn = async () => {
    try {
      const { user, password } = await api.session.signInByLink.mutate({ token });
      if (password) onSettable({ kind: password, user });
      else onSignedIn(user);
    } catch (failure) {
      if (codeOf(failure) !== 'unauthorized') throw failure;
      onRefused(failure);
    }
  };
  return (
    <Form label="Continue" isSignIn send={signIn}>
      {() => (
        <p>
          This link opens the account of <strong>{email}</strong>.
        </p>
      )}
    </Form>
  );
}
