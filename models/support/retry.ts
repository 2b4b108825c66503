/** The one retry: repeats what failed for a transient reason, within bounds. */
import { setTimeout as pass } from 'node:timers/promises';

interface RetryPolicy {
  when(failure: unknown): boolean;
  triesMax?: number;
  /** No try starts later than this after the first one. */
  withinMs?: number;
  /** The pause before the next try; a function gets the number of tries so far. By default, there is no pause. */
  pauseMs?: number | ((tries: number) => number);
  /** Ends a pause, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Whether the process may end during a pause. */
  isBackground?: boolean;
}

/** We do not use cockatiel, because its policies have no bound in time. @throws the last failure */
export async function retry<Result>(run: () => Promise<Result>, policy: RetryPolicy): Promise<Result> {
  const { when, triesMax = Number.POSITIVE_INFINITY, withinMs = Number.POSITIVE_INFINITY } = policy;
  const { pauseMs = 0, signal, isBackground = false } = policy;
  const endsAt = performance.now() + withinMs;
  for (let tries = 1; ; tries += 1)
    try {
      return await run();
    } catch (failure) {
      if (tries >= triesMax || performance.now() > endsAt || !when(failure)) throw failure;
      const ms = typeof pauseMs === 'number' ? pauseMs : pauseMs(tries);
      if (ms > 0) await pass(ms, undefined, { signal, ref: !isBackground });
    }
}
