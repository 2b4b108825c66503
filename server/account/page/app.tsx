/** The page as a whole: the sign-in form, or the account of the signed-in user. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Api } from './api.ts';
import { Connect, ConnectSkeleton } from './apps/connect.tsx';
import { readRequestId } from './apps/pending-request.ts';
import type { Arrival } from './arrival.ts';
import { Failed } from './failed.tsx';
import { Header } from './header.tsx';
import { Sections } from './sections.tsx';
import { ShellContext } from './shell.ts';
import { SignIn } from './sign-in.tsx';
import { Skeleton } from './skeleton.tsx';
import { Toast, useToast } from './toast.tsx';
import { useView } from './use-view.ts';

const sessionEnded = 'Your session has ended. Sign in to continue.';

export function App({ api, arrival }: { api: Api; arrival: Arrival }) {
  const { view, setView, signOut, settings, load } = useView(api, arrival);
  const { message, notify } = useToast();
  const [requestId] = useState(() => readRequestId(location));
  const onSessionEnd = useCallback(() => signOut(sessionEnded), [signOut]);
  const userId = view.is === 'signed-in' ? view.user.id : null;
  const shell = useMemo(
    () => ({ api, settings, userId, notify, onSessionEnd }),
    [api, settings, userId, notify, onSessionEnd],
  );
  return (
    <ShellContext.Provider value={shell}>
      {view.is === 'loading' && (requestId === null ? <Skeleton /> : <ConnectSkeleton />)}
      {view.is === 'failed' && <Failed message={view.message} onRetry={load} />}
      {view.is === 'signed-out' && (
        <SignIn
          notice={view.notice}
          purpose={requestId === null ? 'to manage your API keys' : 'to connect an app'}
          linkToken={view.linkToken}
          onSignedIn={(user) => setView({ is: 'signed-in', user })}
        />
      )}
      {view.is === 'signed-in' && requestId !== null && (
        <Connect id={requestId} user={view.user} onSignedOut={() => signOut(null)} />
      )}
      {view.is === 'signed-in' && requestId === null && (
        <>
          <Header user={view.user} onSignedOut={() => signOut(null)} />
          <Sections user={view.user} />
        </>
      )}
      <Toast message={message} />
    </ShellContext.Provider>
  );
}
