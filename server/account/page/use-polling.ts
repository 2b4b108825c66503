/** Repeats a request while the page is shown; a hidden page repeats it seldom, and at once when it is shown again. */
import { useEffect, useRef } from 'preact/hooks';
import { describeFailure } from './api.ts';
import { useShell } from './shell.ts';

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

/** A failure is left to the next time, but for the end of the session. */
export function usePolling(poll: () => Promise<unknown>, pace: Pace): void {
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
