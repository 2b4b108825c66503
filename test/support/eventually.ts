/** What becomes true soon, but not at once: another process keeps what it read for a second, say. */
import { setTimeout as pass } from 'node:timers/promises';

const tryEveryMs = 50;

/** Tries until nothing is thrown any more, for half a minute at most; then the last failure is the test's. */
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
