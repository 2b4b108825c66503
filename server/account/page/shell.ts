/** Context for all components: the API client, notifications, and the end of the session. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { type Api, codeOf, describeFailure, type Failure, type Settings } from './api.ts';

interface Shell {
  api: Api;
  settings: Settings;
  userId: number | null;
  onSessionEnd(): void;
  /** Called when the service requires a second factor first; resolves to whether the user showed one. */
  onFactorRequired(): Promise<boolean>;
  /** Shows a toast, which screen readers announce. */
  notify(message: ComponentChildren): void;
  /** The same for a failure that no form shows. */
  notifyOfFailure(message: string): void;
}

export const ShellContext = createContext<Shell | null>(null);

export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (!shell) throw new Error('useShell() must be called inside App');
  return shell;
}

export type Action = ReturnType<typeof useAction>;

/** Runs one request at a time and returns whether it succeeded; holds its pending state and failure. */
export function useAction() {
  const { userId, onSessionEnd, onFactorRequired } = useShell();
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<Omit<Failure, 'isSignedOut'> | null>(null);
  const run = async (act: () => Promise<void>, form?: HTMLFormElement): Promise<boolean> => {
    setBusy(true);
    setFailed(null);
    try {
      await act();
      return true;
    } catch (thrown) {
      if (codeOf(thrown) === 'strong_session_required' && (await onFactorRequired()))
        return await run(act, form);
      const { isSignedOut, ...failure } = describeFailure(thrown, form);
      if (isSignedOut && userId !== null) onSessionEnd();
      else setFailed(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const { message: failure = null, field, isFinal = false } = failed ?? {};
  return { isBusy, failure, field, isFinal, run };
}

export function useFailureToast(failure: string | null): void {
  const { notifyOfFailure } = useShell();
  useEffect(() => {
    if (failure) notifyOfFailure(failure);
  }, [failure, notifyOfFailure]);
}

/** Each press gets a new link that works once. The browser stays on the page, because the response is an attachment. */
export function useDownload(getLink: (api: Api) => Promise<{ url: string }>) {
  const { api } = useShell();
  const { isBusy, failure, run } = useAction();
  useFailureToast(failure);
  const download = () => run(async () => location.assign((await getLink(api)).url));
  return { isBusy, download };
}
