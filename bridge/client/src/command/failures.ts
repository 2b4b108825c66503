/** What a failed command prints, and the code with which it exits. */
import { GamehostError } from '../errors.ts';

/** The command is used wrongly. */
export class UsageError extends Error {}

/** There is no credential for the host. */
export class NotSignedInError extends Error {}

/** Prints the failure to stderr, and returns the exit code: 1 refused or away, 2 wrong use, 3 not signed in, 130 interrupted. */
export function reportFailure(failure: unknown): number {
  process.stderr.write(`${failure instanceof Error ? failure.message : failure}\n`);
  if (failure instanceof UsageError) return 2;
  if (failure instanceof NotSignedInError) return 3;
  return failure instanceof GamehostError && failure.status === 401 ? 3 : 1;
}
