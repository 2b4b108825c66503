/** The page as a whole: the sign-in form, or the account of the signed-in user. */
import { useMemo, useState } from 'preact/hooks';
import type { Api, User } from './api.ts';
import { Connect, ConnectSkeleton } from './apps/connect.tsx';
import { type Arrival, readRequestId } from './arrival.ts';
import { Logo, PoweredBy } from './brand.tsx';
import { Failed } from './failed.tsx';
import { Header } from './header.tsx';
import { Sections } from './sections.tsx';
import { ShellContext } from './shell.ts';
import { SignIn } from './sign-in.tsx';
import { Skeleton } from './skeleton.tsx';
import { Toast, useToast } from './toast.tsx';
import { useTitle } from './use-title.ts';
import { useView } from './use-view.ts';

export function App({ api, arrival }: { api: Api; arrival: Arrival }) {
  const { view, setView, userId, signOut, onSessionEnd, settings, load } = useView(api, arrival);
  const { message, notify, notifyOfFailure } = useToast();
  const [requestId] = useState(() => readRequestId(location));
  const titleOfVisitor = view.is === 'signed-in' ? null : 'Sign in';
  useTitle(requestId === null ? titleOfVisitor : 'Connect an app');
  const shell = useMemo(
    () => ({ api, settings, userId, notify, notifyOfFailure, onSessionEnd }),
    [api, settings, userId, notify, notifyOfFailure, onSessionEnd],
  );
  return (
    <ShellContext.Provider value={shell}>
      {view.is === 'loading' && (requestId === null ? <Skeleton /> : <ConnectSkeleton />)}
      {view.is === 'failed' && <FailedStart message={view.message} onRetry={load} />}
      {view.is === 'signed-out' && (
        <SignIn
          notice={view.notice}
          purpose={requestId === null ? 'to see your servers, tickets and keys' : 'to connect an app'}
          linkToken={view.linkToken}
          user={view.user}
          onSignedIn={(user) => setView({ is: 'signed-in', user })}
        />
      )}
      {view.is === 'signed-in' && requestId !== null && (
        <Connect id={requestId} user={view.user} onSignedOut={signOut} />
      )}
      {view.is === 'signed-in' && requestId === null && <Account user={view.user} onSignedOut={signOut} />}
      {view.is !== 'loading' && <PoweredBy />}
      <Toast message={message} />
    </ShellContext.Provider>
  );
}

const FailedStart = (props: { message: string; onRetry: () => void }) => (
  <main class="sign-in">
    <Logo />
    <Failed {...props} />
  </main>
);

const Account = ({ user, onSignedOut }: { user: User; onSignedOut: () => void }) => (
  <>
    <Header user={user} onSignedOut={onSignedOut} />
    <Sections user={user} />
  </>
);
