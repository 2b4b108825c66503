/** Limited attempts count before they run, because several may run at once. The count of a failed one is undone. */
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
