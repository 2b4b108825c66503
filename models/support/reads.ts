/** Reads with one bare command, because bounded results need no cursor, and reads by a unique field. */
import type { Connection, mongo } from 'mongoose';
import { createKeyBatcher } from './batcher.ts';
import { mayReadAgain } from './outages.ts';
import { retry } from './retry.ts';

interface SingleBatchQuery {
  find: string;
  filter: mongo.Document;
  projection?: Readonly<Record<string, 1 | mongo.Document>>;
  sort?: mongo.Document;
  limit: number;
  hint?: mongo.Document;
}

/**
 * Reads a bounded result with one bare `find` command. The driver's cursor could fetch more, and each call would pay for that.
 * The retry and the read concern that a cursor has are added here.
 * Returns documents as stored. The caller guarantees their type, and that filter values contain no operators.
 */
export const findSingleBatch = <Found>(connection: Connection, query: SingleBatchQuery): Promise<Found[]> =>
  readFirstBatch(connection, { ...query, batchSize: query.limit, singleBatch: true });

interface SingleBatchPipeline {
  aggregate: string;
  pipeline: mongo.Document[];
  limit: number;
}

/** Like `findSingleBatch`. A batch size above the maximum number of documents makes MongoDB close the cursor at once. */
export const aggregateSingleBatch = <Found>(
  connection: Connection,
  { limit, ...query }: SingleBatchPipeline,
): Promise<Found[]> => readFirstBatch(connection, { ...query, cursor: { batchSize: limit + 1 } });

async function readFirstBatch<Found>({ db }: Connection, command: mongo.Document): Promise<Found[]> {
  if (!db) throw new Error('Not connected to MongoDB');
  const { readConcern } = db; // unlike a cursor, a command does not inherit the database's read concern
  const concern = readConcern && { readConcern: { level: readConcern.level } };
  const { cursor } = await retry(() => db.command({ ...command, ...concern }), retriedReads);
  return cursor.firstBatch;
}

/** Like the driver's retryable reads: after a broken connection or a failover, a read is repeated on the current primary. */
const retriedReads = {
  /** A failover may fail a read twice: at the primary that is gone, and at the one that is not ready yet. */
  triesMax: 3,
  /** A later try would let its caller wait for too long. */
  withinMs: 3000,
  when: mayReadAgain,
};

/** Batched, without Mongoose's casts. The caller guarantees the keys' type: strings and numbers cannot contain operators. */
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
