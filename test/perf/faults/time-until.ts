/** How long something that is broken takes to be well again. */
import { eventually } from '../../support/eventually.ts';

/** Milliseconds until nothing is thrown any more; the last failure, once that has taken too long. */
export async function timeUntil(attempt: () => Promise<void>, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  await eventually(attempt, withinMs);
  return Math.round(performance.now() - startedAt);
}
