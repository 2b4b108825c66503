/** The page as a whole: the sign-in form, or the account of the signed-in user. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Api, User } from './api.ts';
import { Connect, ConnectSkeleton } from './apps/connect.tsx';
import { ConnectedApps } from './apps/connected-apps.tsx';
import { readRequestId } from './apps/pending-request.ts';
import type { Arrival } from './arrival.ts';
import { Failed } from './failed.tsx';
import { Header } from './header.tsx';
import { KeysView } from './keys-view.tsx';
import { ShellContext } from './shell.ts';
import { SignIn } from './sign-in.tsx';
import { Skeleton } from './skeleton.tsx';
import { useRoute } from './tickets/route.ts';
import { Sections } from './tickets/sections.tsx';
import { TicketsSection } from './tickets/tickets-section.tsx';
import { Toast, useToast } from './toast.tsx';
import { useView } from './use-view.ts';

const sessionEnded = 'Your session has ended. Sign in to continue.';

export function App({ api, arrival }: { api: Api; arrival: Arrival }) {
  const { view, setView, signOut, settings, load } = useView(api, arrival);
  const { message, notify } = useToast();
  const [requestId] = useState(() => readRequestId(location));
  const onSessionEnd = useCallback(() => signOut(sessionEnded), [signOut]);
  const shell = useMemo(
    () => ({ api, settings, notify, onSessionEnd }),
    [api, settings, notify, onSessionEnd],
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
          <SignedIn user={view.user} />
        </>
      )}
      <Toast message={message} />
    </ShellContext.Provider>
  );
}

function SignedIn({ user }: { user: User }) {
  const route = useRoute();
  const section = route.section === 'support' && !user.admin ? 'tickets' : route.section;
  return (
    <>
      <Sections user={user} current={section} />
      {section === 'keys' && <KeysView />}
      {section === 'apps' && <ConnectedApps />}
      {(section === 'tickets' || section === 'support') && <TicketsSection {...route} section={section} />}
    </>
  );
}
