/** Attempts that are limited: counted before they are made, as several may be made at once, and not where nothing comes of them. */
import type { CountedAttempt } from '../ports.ts';

/** @throws rate_limited, or what the work throws: a refusal, or a failure of ours */
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
