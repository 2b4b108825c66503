/** What every part of the page may use: the service, the end of a session, and a word to the reader. */
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { type Api, describeFailure } from './api.ts';

export interface Shell {
  api: Api;
  /** The service says that nobody is signed in any more. */
  onSessionEnd(): void;
  /** Says something in passing, to eyes and to screen readers. */
  say(message: string): void;
}

export const ShellContext = createContext<Shell | null>(null);

export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (!shell) throw new Error('useShell() is for use inside the app');
  return shell;
}

export type Action = ReturnType<typeof useAction>;

/** One thing at a time that the service is asked to do: whether it is under way, and how it failed. */
export function useAction({ isSignIn = false } = {}) {
  const { onSessionEnd } = useShell();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const run = async (act: () => Promise<void>) => {
    setBusy(true);
    setFailure(null);
    try {
      await act();
    } catch (thrown) {
      const { isSignedOut, message } = describeFailure(thrown);
      if (isSignedOut && !isSignIn) onSessionEnd();
      else setFailure(message);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, run };
}
