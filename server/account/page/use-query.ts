/** What the service shows: read when it is wanted, and again as the page asks. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Api, describeFailure } from './api.ts';
import { useAction, useShell } from './shell.ts';

interface Options<Content> {
  /** What is asked for: when it changes it is read anew, and an answer to what was asked before is dropped. */
  of?: unknown;
  /** Whether it is wanted yet. */
  isOn?: boolean;
  /** How often it is read again; a failure of that shows only where `isToldOfAll`. */
  pace?: (content: Content | null, failure: string | null) => Pace;
  isToldOfAll?: boolean;
}

export type Query<Content> = ReturnType<typeof useQuery<Content>>;

export function useQuery<Content>(
  read: (api: Api) => Promise<Content>,
  { of, isOn = true, pace = () => null, isToldOfAll = false }: Options<Content> = {},
) {
  const { api } = useShell();
  const { run, ...action } = useAction();
  const [content, setContent] = useState<Content | null>(null);
  const latest = useRef({ read, of });
  latest.current = { read, of };
  const show = useCallback(
    async (finding: (api: Api) => Promise<Content>) => {
      const asked = latest.current.of;
      const found = await finding(api);
      if (latest.current.of === asked) setContent(found);
    },
    [api],
  );
  const refresh = useCallback(() => show(latest.current.read), [show]);
  const reload = useCallback(() => run(refresh), [refresh]);
  useEffect(() => {
    if (isOn) void reload();
  }, [reload, isOn, of]);
  useOnline(isOn ? reload : null);
  usePolling(isToldOfAll ? reload : refresh, pace(content, action.failure));
  return {
    ...action,
    content,
    /** Shows what another request finds; its failure shows as that of the query. */
    load: (finding: (api: Api) => Promise<Content>) => run(() => show(finding)),
    /** Reads it again for the user. */
    reload,
    /** Reads it again within another action, which fails with it. */
    refresh,
  };
}

/** Of what another tab may have changed meanwhile. */
export const onReturn = { pace: (): Pace => 'on return', isToldOfAll: true };

const hiddenMs = 5 * 60_000;

/** In milliseconds, counted from the end of one request to the next; or only when the page is shown again; null: not now. */
export type Pace = number | 'on return' | null;

/** @param act reads again what may have failed without a line; null: nothing */
export function useOnline(act: (() => unknown) | null): void {
  useEffect(() => {
    if (!act) return;
    addEventListener('online', act);
    return () => removeEventListener('online', act);
  }, [act]);
}

/**
 * Repeats a request while the page is shown; a hidden page repeats it seldom, and at once when it is shown again.
 * A failure is left to the next time, but for the end of the session.
 */
function usePolling(poll: () => Promise<unknown>, pace: Pace): void {
  const { onSessionEnd } = useShell();
  const latest = useRef(poll);
  latest.current = poll;
  useEffect(() => {
    if (pace === null) return;
    const next = { timer: 0, isEnded: false };
    const schedule = () => {
      clearTimeout(next.timer);
      if (next.isEnded || pace === 'on return') return;
      next.timer = window.setTimeout(repeat, document.hidden ? hiddenMs : pace);
    };
    const repeat = () =>
      latest
        .current()
        .catch((failure) => describeFailure(failure).isSignedOut && onSessionEnd())
        .finally(schedule);
    const onChange = () => (document.hidden ? schedule() : void repeat());
    schedule();
    document.addEventListener('visibilitychange', onChange);
    return () => {
      next.isEnded = true;
      clearTimeout(next.timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, [pace, onSessionEnd]);
}
