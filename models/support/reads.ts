/** Reads and batches of the database: concurrent calls share one round trip, and bounded results come without a cursor. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Connection, mongo } from 'mongoose';
import { retry } from './retry.ts';

interface Pending<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (failure: unknown) => void;
}

/** Returns one result per item, in the same order; an Error in place of a result rejects that caller only. */
type BatchFn<Item, Result> = (items: Item[]) => Promise<(Result | Error)[]>;

const batchMax = 256;

/**
 * Batches concurrent calls into one database call, where the round trip costs more than what it carries.
 * A call goes out at once when none is running; calls that arrive meanwhile form the next batch. After a batch of several,
 * the next one waits one turn of the event loop, so that it is larger under load; so does a lone call, however late it comes,
 * as the queue may be empty for a moment under load, too. After a batch of one, none waits.
 *
 * @param runBatch only receives items that were queued before it was called, so a read sees every earlier write; when it
 * throws, all its callers are rejected, and where MongoDB does not answer also those that waited meanwhile
 * @param waitForMore delays the batch that follows one of several calls, so that it holds more; by default by one turn of the
 * event loop
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
        for (const { reject } of queue.splice(0)) reject(new NotAskedError('', { cause: failure }));
    }
    isRunning = false;
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isRunning) void drainQueue();
    });
}

/** MongoDB did not answer an earlier call: this one has waited for long enough, and nothing of it was done. */
class NotAskedError extends Error {
  override readonly name = 'NotAskedError';
}

const isUnanswered = (failure: unknown) =>
  failure instanceof mongo.MongoServerSelectionError || failure instanceof mongo.MongoNetworkTimeoutError;

/** Resolves to the failure of the whole batch; null where it has results. */
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
      else resolve(result as Result); // the lengths are equal, as checked above
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

interface SingleBatchQuery {
  /** The collection. */
  find: string;
  filter: mongo.Document;
  projection?: Readonly<Record<string, 1 | mongo.Document>>;
  sort?: mongo.Document;
  limit: number;
  /** The index to use. */
  hint?: mongo.Document;
}

/**
 * Reads a bounded result with one bare `find` command, without the driver's cursor, which could fetch more; the retry and
 * the read concern that the cursor adds are added here.
 * Returns documents as stored. The caller guarantees their type, and that filter values contain no operators.
 */
export async function findSingleBatch<Found>(
  connection: Connection,
  query: SingleBatchQuery,
): Promise<Found[]> {
  const { db } = connection;
  if (!db) throw new Error('Not connected to MongoDB');
  const { readConcern } = db; // unlike cursors, commands do not inherit it
  const concern = readConcern && { readConcern: { level: readConcern.level } };
  const command = { ...query, batchSize: query.limit, singleBatch: true, ...concern };
  const { cursor } = await retryRead(() => db.command(command));
  return cursor.firstBatch;
}

interface SingleBatchPipeline {
  /** The collection. */
  aggregate: string;
  pipeline: mongo.Document[];
  limit: number;
}

/** The same for an aggregation. */
export async function aggregateSingleBatch<Found>(
  connection: Connection,
  { aggregate, pipeline, limit }: SingleBatchPipeline,
): Promise<Found[]> {
  const { db } = connection;
  if (!db) throw new Error('Not connected to MongoDB');
  const { readConcern } = db;
  const concern = readConcern && { readConcern: { level: readConcern.level } };
  // One document more than there can be, so that the cursor is closed with the batch.
  const command = { aggregate, pipeline, cursor: { batchSize: limit + 1 }, ...concern };
  const { cursor } = await retryRead(() => db.command(command));
  return cursor.firstBatch;
}

/** Codes with which a server says that another try may succeed, of the specification of retryable reads. */
const retryableCodes: ReadonlySet<unknown> = new Set([
  ...[6, 7, 89, 91, 134, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436],
]);

/** The driver's retryable reads, on the primary of that moment: after a broken connection or a failover a read is repeated. */
const retryRead = <Result>(read: () => Promise<Result>): Promise<Result> => retry(read, retriedReads);

const retriedReads = {
  /** A failover may fail a read twice, at the primary that is gone and at the one that is not ready yet. */
  triesMax: 3,
  /** A try that begins later would keep its caller waiting for too long. */
  withinMs: 3000,
  when: (failure: unknown) =>
    failure instanceof mongo.MongoNetworkError ||
    (failure instanceof mongo.MongoServerError && retryableCodes.has(failure.code)),
};

interface LoaderOptions<Stored> {
  connection: Connection;
  collection: string;
  field: keyof Stored & string;
}

/**
 * Reads documents by a unique field, batched and without Mongoose's casts.
 * Keys are not cast, so the caller guarantees their type; strings and numbers cannot contain operators.
 */
export function createLoader<Stored extends mongo.Document, Key extends string | number>({
  connection,
  collection,
  field,
}: LoaderOptions<Stored>) {
  return createKeyBatcher(
    (keys: Key[]) => {
      const filter = { [field]: toCondition(keys) };
      return findSingleBatch<Stored>(connection, { find: collection, filter, limit: keys.length });
    },
    (record) => record[field] as Key,
  );
}

/** MongoDB has a fast path for a bare value, not for `$eq` or a list of one. */
const toCondition = <Key extends string | number>(keys: Key[]) =>
  keys.length === 1 ? keys[0] : { $in: keys };

/** Sorts items into groups of the same key. */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}
