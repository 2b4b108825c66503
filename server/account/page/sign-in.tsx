/** The sign-in card: by password, at the identity provider, or by a link. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { codeOf, describeFailure, type PendingSignIn, type SecondFactorResult, type User } from './api.ts';
import { keepDestination, takeDestination } from './arrival.ts';
import { Logo } from './brand.tsx';
import { keepText } from './fields.tsx';
import { useFocusAfterChange } from './focus.ts';
import { Form } from './form.tsx';
import { Icon } from './icon.tsx';
import { readKeyLink } from './keys/key-link.tsx';
import { SetPassword, type SettablePassword } from './password.tsx';
import { usePasskeySupport } from './security/passkeys.ts';
import { PasskeySignIn } from './security/second-factor-form.tsx';
import { SecondStep, useSecondStep } from './security/second-step.tsx';
import { useShell } from './shell.ts';

type OnSignedIn = (user: User) => Promise<void>;

/** @param given the user, null if a second factor is required first; and whether a password may be set */
type OnDone = (given: Pick<SecondFactorResult, 'user'> & Partial<SecondFactorResult>) => Promise<void>;

interface Props {
  notice: string | null;
  purpose: string;
  linkToken: string | null;
  pending: PendingSignIn | null;
  /** The user who is already signed in, and needs no link. */
  user: User | null;
  onSignedIn: OnSignedIn;
}

export function SignIn({ notice, purpose, linkToken, user, ...props }: Props) {
  const { link, refusal, onRefused } = useLink(linkToken);
  const [settable, setSettable] = useState<SettablePassword | null>(null);
  const second = useSecondStep(props.pending);
  useFocusAfterChange(
    settable?.kind ?? (second.pending && 'second') ?? link?.is ?? 'ways',
    () => document.querySelector('.card .input') ?? document.querySelector('.card button'),
  );
  useKeptKeyLink();
  const onSignedIn = async (user: User) => {
    takeDestination();
    await props.onSignedIn(user);
  };
  const onDone: OnDone = async ({ user, password }) => {
    if (!user) await second.begin();
    else if (password) setSettable({ kind: password, user });
    else await onSignedIn(user);
  };
  if (settable)
    return (
      <Card title="Your password" purpose={`for ${settable.user.email}`}>
        <SetPassword {...settable} onDone={() => onSignedIn(settable.user)} />
      </Card>
    );
  if (second.pending)
    return (
      <Card purpose="with your second factor">
        <SecondStep kinds={second.pending.kinds} onShown={onDone} onEnded={second.end} />
        <Help />
      </Card>
    );
  if (link?.is === 'checking') return <Card purpose={purpose} />;
  return (
    <Card notice={second.notice ?? refusal ?? notice} purpose={purpose}>
      {link ? <LinkForm {...{ ...link, onDone, onRefused }} /> : <Ways {...{ user, onSignedIn, onDone }} />}
      <Help />
    </Card>
  );
}

/** Keeps a link to a new key through a sign-in that ends at another address; drops it when the user signs in here. */
function useKeptKeyLink(): void {
  useEffect(() => {
    if (readKeyLink(location)) keepDestination();
  }, []);
}

type CardProps = { title?: string; notice?: string | null; purpose: string; children?: ComponentChildren };

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
    <p class="note">
      Building something? <a href="/api/v1/docs">Read the API documentation</a>
    </p>
  </main>
);

type WaysProps = Pick<Props, 'user' | 'onSignedIn'> & { onDone: OnDone };

/** Every way to sign in except by a link. */
function Ways({ user, onSignedIn, onDone }: WaysProps) {
  const { settings } = useShell();
  const [isMailing, setMailing] = useState(false);
  const hasPasskeys = usePasskeySupport() && settings.password_sign_in;
  return (
    <>
      {user && (
        <div class="form">
          <p>
            You are signed in as <strong>{user.email}</strong>.
          </p>
          <button type="button" class="button" onClick={() => onSignedIn(user)}>
            Go to your account
          </button>
        </div>
      )}
      {settings.single_sign_on !== null && <SingleSignOnForm name={settings.single_sign_on} />}
      {settings.password_sign_in && !isMailing && <PasswordForm onDone={onDone} />}
      {hasPasskeys && !isMailing && <PasskeySignIn onShown={onDone} />}
      {settings.password_sign_in && settings.mail && !isMailing && (
        <p class="note">
          Forgot your password, or have none yet?{' '}
          <button type="button" class="link" onClick={() => setMailing(true)}>
            Get a link by e-mail
          </button>
        </p>
      )}
      {isMailing && <MailedLink onClose={() => setMailing(false)} />}
      {!settings.password_sign_in && settings.single_sign_on === null && (
        <p class="note">Open this page from your host's customer area to sign in.</p>
      )}
    </>
  );
}

function Help() {
  const { sign_in_help: help } = useShell().settings;
  if (!help) return null;
  const isAddress = /^(https?:\/\/|mailto:)\S+$/.test(help);
  return (
    <p class="note">
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

const useEmailField = () =>
  ({
    name: 'email',
    label: 'E-mail',
    missing: 'Enter your e-mail address.',
    type: 'email',
    autocomplete: usePasskeySupport() ? 'username webauthn' : 'username',
    autofocus: true,
  }) as const;

const passwordField = {
  name: 'password',
  label: 'Password',
  missing: 'Enter your password.',
  type: 'password',
  autocomplete: 'current-password',
  read: keepText,
} as const;

function PasswordForm({ onDone }: { onDone: OnDone }) {
  const { api } = useShell();
  return (
    <Form
      label="Sign in"
      request="session.signIn"
      fields={[useEmailField(), passwordField]}
      send={async (given) => onDone(await api.session.signIn.mutate(given))}
    />
  );
}

/**
 * Mails a link to users without a password, or who forgot it. The text does not reveal whether the address has an
 * account.
 */
function MailedLink({ onClose }: { onClose(): void }) {
  const { api } = useShell();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const emailField = useEmailField();
  return (
    <>
      {sentTo === null ? (
        <Form
          label="Send the link"
          request="session.mailLink"
          fields={[emailField]}
          send={async (given) => {
            await api.session.mailLink.mutate(given);
            keepDestination();
            setSentTo(given.email);
          }}
        />
      ) : (
        <p role="status">
          If <strong>{sentTo}</strong> has an account here, a link to sign in is on its way. It works once,
          for 15 minutes. Not there? Check your spam folder.
        </p>
      )}
      <p class="note">
        <button type="button" class="link" onClick={onClose}>
          Back
        </button>
      </p>
    </>
  );
}

function SingleSignOnForm({ name }: { name: string }) {
  const { api } = useShell();
  const start = async () => {
    const { url } = await api.session.startSingleSignOn.mutate();
    keepDestination();
    location.assign(url);
  };
  return <Form label={`Continue with ${name}`} send={start} />;
}

const wholeToken = /^[\w-]{43}$/;
const damagedLink =
  'This sign-in link is damaged: some programs cut or change long addresses. Copy the whole address from the mail into your browser, or get a new link.';

type LinkState = { is: 'checking' } | { is: 'valid'; token: string; email: string };

/** The account that a link opens. If the link is refused, the other ways to sign in are shown. */
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

/** Only the button uses the link, because mail programs and chats open links for a preview. */
function LinkForm(props: {
  token: string;
  email: string;
  onDone: OnDone;
  onRefused(failure: unknown): void;
}) {
  const { token, email, onDone, onRefused } = props;
  const { api } = useShell();
  const signIn = async () => {
    try {
      await onDone(await api.session.signInByLink.mutate({ token }));
    } catch (failure) {
      if (codeOf(failure) !== 'unauthorized') throw failure;
      onRefused(failure);
    }
  };
  return (
    <Form label="Continue" send={signIn}>
      <p>
        This link opens the account of <strong>{email}</strong>.
      </p>
    </Form>
  );
}
