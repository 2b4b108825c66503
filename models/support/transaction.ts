/** The one transaction: writes that are stored all or none, tried again while that may help, within a bound. */
import { type ClientSession, type Connection, mongo } from 'mongoose';
import { retry } from './retry.ts';
import { isDuplicateKey } from './writes.ts';

/** No try begins later, and no commit is sent later. The driver's `withTransaction` goes on for 120 seconds, whatever it is told. */
const triesMs = 5000;
/** Those who collide wait for different times, and ever longer where MongoDB is away. */
const pauseMs = (tries: number) => Math.random() * Math.min(500, 5 * 1.5 ** tries);

const hasLabel = (label: string) => (failure: unknown) =>
  failure instanceof mongo.MongoError && failure.hasErrorLabel(label);

/**
 * @param run may be called again; what it aborts itself is not committed
 * @param joined a transaction in progress, which the writes then belong to
 */
export async function runTransaction<Result>(
  connection: Connection,
  run: (session: ClientSession) => Promise<Result>,
  joined?: ClientSession,
): Promise<Result> {
  if (joined) return run(joined);
  const session = await connection.startSession();
  const endsAt = performance.now() + triesMs;
  try {
    const runWhileTransient = () =>
      retry(() => runOnce(session, run, endsAt), {
        when: hasLabel('TransientTransactionError'),
        withinMs: endsAt - performance.now(),
        pauseMs,
      });
    // The next try sees what a concurrent transaction has just stored.
    return await retry(runWhileTransient, { triesMax: 3, when: isDuplicateKey });
  } finally {
    await session.endSession();
  }
}

async function runOnce<Result>(
  session: ClientSession,
  run: (session: ClientSession) => Promise<Result>,
  endsAt: number,
): Promise<Result> {
  session.startTransaction();
  try {
    const result = await run(session);
    if (session.inTransaction())
      await retry(() => session.commitTransaction(), {
        when: hasLabel('UnknownTransactionCommitResult'),
        withinMs: endsAt - performance.now(),
        pauseMs,
      });
    return result;
  } catch (failure) {
    if (session.inTransaction()) await session.abortTransaction();
    throw failure;
  }
}
