/** Outages: failures of calls that MongoDB could not serve at that moment. Any other failure is a defect in our code. */
import { mongo } from 'mongoose';

export interface Outage {
  state: 'unreachable' | 'busy';
  /** Whether the failure states that nothing was written. */
  wroteNothing: boolean;
}

/** Another member takes over, or the connection to this member was lost. A read may succeed at once on the next member. */
const transientCodes: ReadonlySet<unknown> = new Set([
  ...[6, 7, 89, 91, 134, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436],
]);

/** Overload: a limit on rate, time, memory, disk or locks. */
const busyCodes: ReadonlySet<unknown> = new Set([
  ...[24, 50, 112, 146, 202, 225, 251, 290, 365, 462, 463, 11_601, 14_031],
]);

/** No majority confirmed a write, no member fits the call, or MongoDB no longer accepts our sign-in. */
const unservedCodes: ReadonlySet<unknown> = new Set([13, 18, 64, 79, 100, 133]);

const outageLabels = [
  'SystemOverloadedError',
  'RetryableError',
  'RetryableWriteError',
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
];

/** The driver's own failures: MongoDB did not answer. */
const noResponseErrors = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoOperationTimeoutError,
];

/** A call that was not sent, because MongoDB had not answered an earlier one for a long time. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

export function outageOf(failure: unknown): Outage | null {
  if (failure instanceof NotSentError) return { state: 'unreachable', wroteNothing: true };
  if (!(failure instanceof mongo.MongoError)) return null;
  // The driver does not export this error's class.
  if (failure.name === 'MongoWaitQueueTimeoutError') return { state: 'busy', wroteNothing: false };
  const wroteNothing = failure.hasErrorLabel('NoWritesPerformed');
  if (busyCodes.has(failure.code) || failure.hasErrorLabel('SystemOverloadedError'))
    return { state: 'busy', wroteNothing };
  const isOutage =
    transientCodes.has(failure.code) ||
    unservedCodes.has(failure.code) ||
    failure instanceof mongo.MongoWriteConcernError ||
    noResponseErrors.some((type) => failure instanceof type) ||
    outageLabels.some((label) => failure.hasErrorLabel(label));
  return isOutage ? { state: 'unreachable', wroteNothing } : null;
}

export const mayReadAgain = (failure: unknown): boolean =>
  failure instanceof mongo.MongoNetworkError ||
  (failure instanceof mongo.MongoServerError && transientCodes.has(failure.code));
