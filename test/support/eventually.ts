/** Assertions that hold soon but not at once, for example because another process caches for a second. */
import { setTimeout as pass } from 'node:timers/promises';

const tryEveryMs = 50;

/** Retries until nothing is thrown, for at most half a minute, and then throws the last failure. */
export async function eventually<Found>(attempt: () => Promise<Found>, withinMs = 30_000): Promise<Found> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await attempt();
    } catch (failure) {
      if (performance.now() > giveUpAt) throw failure;
    }
    await pass(tryEveryMs);
  }
}
