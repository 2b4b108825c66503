/** The one batcher: concurrent calls share one round trip to the database. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { NotSentError } from './outages.ts';

interface Pending<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (failure: unknown) => void;
}

/** Returns one result per item, in the same order; an Error in place of a result rejects only that caller. */
type BatchFn<Item, Result> = (items: Item[]) => Promise<(Result | Error)[]>;

const batchMax = 256;

/**
 * Batches concurrent calls into one database call, where the round trip costs more than its content. A call goes out at once
 * when none is running; calls that arrive meanwhile form the next batch. After a batch of several, the next one waits one turn
 * of the event loop, so that it is larger under load. Even a single call then waits, however late it comes, because the queue
 * may be empty for a moment under load. After a batch of one, no call waits.
 * @param runBatch receives only items that were queued before it was called, so a read sees every earlier write. When it
 * throws, all its callers are rejected; if MongoDB does not answer, all callers that waited meanwhile are rejected, too
 * @param waitForMore delays the batch after a batch of several calls
 */
export function createBatcher<Item, Result>(
  runBatch: BatchFn<Item, Result>,
  waitForMore: () => Promise<unknown> = nextTurn,
) {
  const queue: Pending<Item, Result>[] = [];
  let isRunning = false;
  let wasShared = false;

  async function drainQueue(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      if (wasShared) await waitForMore();
      const batch = queue.splice(0, batchMax);
      wasShared = batch.length > 1;
      const failure = await settleBatch(batch, runBatch);
      if (isUnanswered(failure))
        for (const { reject } of queue.splice(0)) reject(new NotSentError('', { cause: failure }));
    }
    isRunning = false;
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isRunning) void drainQueue();
    });
}

const isUnanswered = (failure: unknown) =>
  failure instanceof mongo.MongoServerSelectionError || failure instanceof mongo.MongoNetworkTimeoutError;

/** Resolves to the failure of the whole batch; null when it has results. */
async function settleBatch<Item, Result>(
  batch: Pending<Item, Result>[],
  runBatch: BatchFn<Item, Result>,
): Promise<unknown> {
  try {
    const results = await runBatch(batch.map(({ item }) => item));
    if (results.length !== batch.length) throw new Error('A batch returned the wrong number of results');
    batch.forEach(({ resolve, reject }, index) => {
      const result = results[index];
      if (result instanceof Error) reject(result);
      else resolve(result as Result); // never a missing entry: the lengths are equal
    });
    return null;
  } catch (failure) {
    for (const { reject } of batch) reject(failure);
    return failure;
  }
}

/** Batched reads by key: `findMany` gets each key once, and callers with the same key share the record. */
export function createKeyBatcher<Key, Found>(
  findMany: (keys: Key[]) => Promise<Found[]>,
  keyOf: (found: Found) => Key,
): (key: Key) => Promise<Found | null> {
  return createBatcher(async (keys) => {
    const found = new Map((await findMany([...new Set(keys)])).map((record) => [keyOf(record), record]));
    return keys.map((key) => found.get(key) ?? null);
  });
}
