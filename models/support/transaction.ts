/** The one transaction: all of its writes are stored or none, and retried within a time limit while that may help. */
import { type ClientSession, type Connection, mongo } from 'mongoose';
import { retry } from './retry.ts';
import { isDuplicateKey } from './writes.ts';

/** No try and no commit starts after this. The driver's `withTransaction` goes on for 120 seconds, whatever its options. */
const triesMs = 5000;
/** Random, so that transactions that collided wait for different times; longer after each try, in case MongoDB is unavailable. */
const pauseMs = (tries: number) => Math.random() * Math.min(500, 5 * 1.5 ** tries);

const hasLabel = (label: string) => (failure: unknown) =>
  failure instanceof mongo.MongoError && failure.hasErrorLabel(label);

/** @param run may be called again; nothing is committed if it aborts the transaction */
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
