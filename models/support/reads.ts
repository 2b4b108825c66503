/** Reads of the database with one bare command, as bounded results need no cursor, and by a unique field. */
import type { Connection, mongo } from 'mongoose';
import { createKeyBatcher } from './batcher.ts';
import { mayReadAgain } from './outages.ts';
import { retry } from './retry.ts';

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
 * Reads a bounded result with one bare `find` command, without the driver's cursor, which could fetch more and which each
 * call would pay for; the retry and the read concern that the cursor adds are added here.
 * Returns documents as stored. The caller guarantees their type, and that filter values contain no operators.
 */
export const findSingleBatch = <Found>(connection: Connection, query: SingleBatchQuery): Promise<Found[]> =>
  readFirstBatch(connection, { ...query, batchSize: query.limit, singleBatch: true });

interface SingleBatchPipeline {
  /** The collection. */
  aggregate: string;
  pipeline: mongo.Document[];
  limit: number;
}

/** The same for an aggregation. A batch size above the most documents possible makes MongoDB close the cursor at once. */
export const aggregateSingleBatch = <Found>(
  connection: Connection,
  { limit, ...query }: SingleBatchPipeline,
): Promise<Found[]> => readFirstBatch(connection, { ...query, cursor: { batchSize: limit + 1 } });

async function readFirstBatch<Found>({ db }: Connection, command: mongo.Document): Promise<Found[]> {
  if (!db) throw new Error('Not connected to MongoDB');
  const { readConcern } = db; // unlike cursors, commands do not inherit it
  const concern = readConcern && { readConcern: { level: readConcern.level } };
  const { cursor } = await retry(() => db.command({ ...command, ...concern }), retriedReads);
  return cursor.firstBatch;
}

/** The driver's retryable reads, on the primary of that moment: after a broken connection or a failover a read is repeated. */
const retriedReads = {
  /** A failover may fail a read twice, at the primary that is gone and at the one that is not ready yet. */
  triesMax: 3,
  /** A try that begins later would keep its caller waiting for too long. */
  withinMs: 3000,
  when: mayReadAgain,
};

/**
 * Reads documents by a unique field, batched and without Mongoose's casts.
 * Keys are not cast, so the caller guarantees their type; strings and numbers cannot contain operators.
 */
export const createLoader = <Stored extends mongo.Document, Key extends string | number>(
  connection: Connection,
  collection: string,
  field: keyof Stored & string,
) =>
  createKeyBatcher(
    (keys: Key[]) => {
      const filter = { [field]: toCondition(keys) };
      return findSingleBatch<Stored>(connection, { find: collection, filter, limit: keys.length });
    },
    (record) => record[field] as Key,
  );

/** MongoDB has a fast path for a bare value, not for `$eq` or a list of one. */
const toCondition = <Key extends string | number>(keys: Key[]) =>
  keys.length === 1 ? keys[0] : { $in: keys };
