/** Repeats a request while the page is shown; a hidden page repeats it seldom, and at once when it is shown again. */
import { useEffect, useRef } from 'preact/hooks';
import { describeFailure } from './api.ts';
import { useShell } from './shell.ts';

const hiddenMs = 5 * 60_000;

/**
 * A failure is left to the next time, but for the end of the session.
 * @param everyMs counted from the end of one request to the next; null: not now
 */
export function usePolling(poll: () => Promise<void>, everyMs: number | null): void {
  const { onSessionEnd } = useShell();
  const latest = useRef(poll);
  latest.current = poll;
  useEffect(() => {
    if (everyMs === null) return;
    const next = { timer: 0, isEnded: false };
    const schedule = () => {
      clearTimeout(next.timer);
      if (!next.isEnded) next.timer = window.setTimeout(repeat, document.hidden ? hiddenMs : everyMs);
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
  }, [everyMs, onSessionEnd]);
}
