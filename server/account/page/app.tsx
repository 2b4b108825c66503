/** The page as a whole: who is signed in decides what it shows. */
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { type Api, describeFailure, type User } from './api.ts';
import { Failed } from './failed.tsx';
import { Header } from './header.tsx';
import { KeysView } from './keys-view.tsx';
import { ShellContext } from './shell.ts';
import { SignIn } from './sign-in.tsx';
import { Skeleton } from './skeleton.tsx';
import { Toast, useToast } from './toast.tsx';

type View =
  | { is: 'loading' }
  | { is: 'failed'; message: string }
  | { is: 'signed-out'; notice: string | null }
  | { is: 'signed-in'; user: User };

const sessionEnded = 'Your session has ended. Sign in to go on.';

export function App({ api }: { api: Api }) {
  const { view, setView, load } = useView(api);
  const { message, say } = useToast();
  const onSessionEnd = useCallback(() => setView({ is: 'signed-out', notice: sessionEnded }), [setView]);
  const shell = useMemo(() => ({ api, say, onSessionEnd }), [api, say, onSessionEnd]);
  return (
    <ShellContext.Provider value={shell}>
      {view.is === 'loading' && <Skeleton />}
      {view.is === 'failed' && <Failed message={view.message} onRetry={load} />}
      {view.is === 'signed-out' && (
        <SignIn notice={view.notice} onSignedIn={(user) => setView({ is: 'signed-in', user })} />
      )}
      {view.is === 'signed-in' && (
        <>
          <Header user={view.user} onSignedOut={() => setView({ is: 'signed-out', notice: null })} />
          <KeysView />
        </>
      )}
      <Toast message={message} />
    </ShellContext.Provider>
  );
}

function useView(api: Api) {
  const [view, setView] = useState<View>({ is: 'loading' });
  const load = useCallback(async () => {
    setView({ is: 'loading' });
    try {
      const { user } = await api.session.current.query();
      setView(user ? { is: 'signed-in', user } : { is: 'signed-out', notice: null });
    } catch (failure) {
      setView({ is: 'failed', message: describeFailure(failure).message });
    }
  }, [api]);
  useEffect(() => void load(), [load]);
  return { view, setView, load };
}
