/** Limited attempts count before they run, because several may run at once. If the work throws, the count is undone. */
import type { CountedAttempt } from '../ports.ts';

export async function runCounted<Result>(
  attempt: CountedAttempt,
  work: () => Promise<Result>,
): Promise<Result> {
  await attempt.count();
  try {
    return await work();
  } catch (failure) {
    await attempt.refund();
    throw failure;
  }
}
