/** The root component: the sign-in form, or the account of the signed-in user. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { type Api, describeFailure, type PendingSignIn, type Settings, type User } from './api.ts';
import { ConnectSkeleton } from './apps/connect-frame.tsx';
import { type Arrival, readRequestId } from './arrival.ts';
import { Logo, PoweredBy } from './brand.tsx';
import { Header } from './header.tsx';
import { Icon } from './icon.tsx';
import { Connect } from './lazy-views.ts';
import { Sections } from './sections.tsx';
import { AskFactor } from './security/ask-factor.tsx';
import { RequireFactor } from './security/require-factor.tsx';
import { ShellContext } from './shell.ts';
import { SignIn } from './sign-in.tsx';
import { useOnline } from './use-query.ts';
import { Failed, useTitle, ViewSkeleton } from './view.tsx';

export function App({ api, arrival }: { api: Api; arrival: Arrival }) {
  const { view, enter, userId, signOut, settings, load, ...ends } = useView(api, arrival);
  const { toast, notify, notifyOfFailure } = useToast();
  const [requestId] = useState(() => readRequestId(location));
  const titleOfVisitor = view.is === 'signed-in' ? null : 'Sign in';
  useTitle(requestId === null ? titleOfVisitor : 'Connect an app');
  const shell = useMemo(
    () => ({ api, settings, userId, notify, notifyOfFailure, ...ends }),
    [api, settings, userId, notify, notifyOfFailure, ...Object.values(ends)],
  );
  return (
    <ShellContext.Provider value={shell}>
      {view.is === 'loading' && (requestId === null ? <Skeleton /> : <ConnectSkeleton />)}
      {view.is === 'failed' && (
        <main class="sign-in">
          <Logo />
          <Failed message={view.message} onRetry={load} />
        </main>
      )}
      {view.is === 'signed-out' && (
        <SignIn
          {...view}
          purpose={requestId === null ? 'to see your servers, tickets and keys' : 'to connect an app'}
          onSignedIn={enter}
        />
      )}
      {view.is === 'signed-in' && (
        <SignedIn
          {...view}
          requestId={requestId}
          onSignedOut={signOut}
          onFactorShown={() => enter(view.user)}
        />
      )}
      {view.is !== 'loading' && <PoweredBy />}
      {toast}
    </ShellContext.Provider>
  );
}

interface SignedInProps extends SignedInView {
  requestId: string | null;
  onSignedOut(): void;
  onFactorShown(): Promise<void>;
}

function SignedIn({ user, lacksFactor, requestId, onSignedOut, onFactorShown }: SignedInProps) {
  if (requestId !== null && !lacksFactor) return <Connect id={requestId} {...{ user, onSignedOut }} />;
  return lacksFactor ? (
    <>
      <Header {...{ user, onSignedOut }} />
      <RequireFactor onDone={onFactorShown} />
    </>
  ) : (
    <AskFactor>
      <Sections {...{ user, onSignedOut }} />
    </AskFactor>
  );
}

/** Shown until the session is known. */
const Skeleton = () => (
  <>
    <div class="header">
      <div class="header-inner" />
    </div>
    <div class="side" />
    <ViewSkeleton />
  </>
);

type View =
  | { is: 'loading' }
  | { is: 'failed'; message: string }
  | {
      is: 'signed-out';
      notice: string | null;
      linkToken: string | null;
      pending: PendingSignIn | null;
      /**
       * The user who is already signed in: the page was opened with a link or an identity provider's answer, or the
       * sign-in was in another tab.
       */
      user: User | null;
    }
  | ({ is: 'signed-in' } & SignedInView);

interface SignedInView {
  user: User;
  /** Whether staff must show or add a second factor first. */
  lacksFactor: boolean;
}

const sessionEnded = 'Your session has ended. Sign in to continue.';

const signedOut = { is: 'signed-out', notice: null, linkToken: null, pending: null, user: null } as const;

const unknownSettings: Settings = {
  password_length_min: 0,
  password_sign_in: true,
  sign_in_help: null,
  single_sign_on: null,
  connected_apps: false,
  webhooks: false,
  console_commands: false,
  file_sources: [],
  mail: false,
  passkeys: false,
};

/** Which view the page shows, starting from the address it was opened with. */
function useView(api: Api, arrival: Arrival) {
  const [view, setView] = useState<View>({ is: 'loading' });
  const [settings, setSettings] = useState<Settings>(unknownSettings);
  const userId = view.is === 'signed-in' ? view.user.id : null;
  const signOut = useCallback(() => setView(signedOut), []);
  const load = useCallback(async () => {
    setView({ is: 'loading' });
    try {
      const { user, pending, lacks_factor, settings } = await api.session.current.query();
      setSettings(settings);
      if (arrival.is === 'callback') await finish(arrival.query, user);
      else if (arrival.is === 'link') setView({ ...signedOut, linkToken: arrival.token, user });
      else if (user) setView({ is: 'signed-in', user, lacksFactor: lacks_factor });
      else setView({ ...signedOut, pending });
    } catch (failure) {
      setView({ is: 'failed', message: describeFailure(failure).message });
    }
  }, [api, arrival, signOut]);
  const enter = async (user: User) => {
    const isStaff = user.admin || user.support;
    const lacksFactor = isStaff && (await api.session.current.query()).lacks_factor;
    setView({ is: 'signed-in', user, lacksFactor });
  };
  const finish = async (query: string, before: User | null) => {
    try {
      await enter((await api.session.finishSingleSignOn.mutate({ query })).user);
    } catch (failure) {
      setView({ ...signedOut, notice: describeFailure(failure).message, user: before });
    }
  };
  useEffect(() => void load(), [load]);
  useOnline(view.is === 'failed' ? load : null);
  return { view, enter, userId, signOut, settings, load, ...useEnds(api, userId, setView) };
}

/** Changes the view when the service answers that the session has ended or lacks a second factor. */
function useEnds(api: Api, userId: number | null, setView: (view: View) => void) {
  /** A sign-in in another tab ends the session that a request of this tab may still have used. */
  const onSessionEnd = useCallback(async () => {
    setView({ is: 'loading' });
    const current = await api.session.current.query().catch(() => ({ user: null, lacks_factor: false }));
    const { user, lacks_factor: lacksFactor } = current;
    const isSame = user !== null && user.id === userId;
    setView(isSame ? { is: 'signed-in', user, lacksFactor } : { ...signedOut, notice: sessionEnded, user });
  }, [api, userId]);
  /** Staff can do nothing before they have a second factor. */
  const onFactorRequired = useCallback(async () => {
    const current = await api.session.current.query().catch(() => null);
    if (current?.user && current.lacks_factor)
      setView({ is: 'signed-in', user: current.user, lacksFactor: true });
    return false;
  }, [api]);
  return { onSessionEnd, onFactorRequired };
}

const toastMs = 5000;

function useToast() {
  const [message, setMessage] = useState<{ text: ComponentChildren; isFailure: boolean } | null>(null);
  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => setMessage(null), toastMs);
    return () => clearTimeout(timer);
  }, [message]);
  const notify = useCallback((text: ComponentChildren) => setMessage({ text, isFailure: false }), []);
  const notifyOfFailure = useCallback((text: string) => setMessage({ text, isFailure: true }), []);
  const toast = (
    <div class="toast-place" role="status">
      {message !== null && (
        <p class="toast">
          <Icon name={message.isFailure ? 'alert' : 'check'} />
          <span>{message.text}</span>
        </p>
      )}
    </div>
  );
  return { toast, notify, notifyOfFailure };
}
