/**
 * Reads a bounded result with one bare `find` command. The driver's cursor, which could fetch more, makes such a read a
 * tenth slower; the retry and the read concern that the cursor adds are added here.
 */
import { type Connection, mongo } from 'mongoose';

interface SingleBatchQuery {
  /** The collection. */
  find: string;
  filter: mongo.Document;
  projection?: Readonly<Record<string, 1 | mongo.Document>>;
  sort?: mongo.Document;
  limit: number;
}

/** Returns documents as stored. The caller guarantees their type, and that filter values contain no operators. */
export async function findSingleBatch<Found>(
  connection: Connection,
  query: SingleBatchQuery,
): Promise<Found[]> {
  const { db } = connection;
  if (!db) throw new Error('Not connected to MongoDB');
  const { readConcern } = db; // unlike cursors, commands do not inherit it
  const concern = readConcern && { readConcern: { level: readConcern.level } };
  const command = { ...query, batchSize: query.limit, singleBatch: true, ...concern };
  const { cursor } = await retryOnce(() => db.command(command));
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
  const { cursor } = await retryOnce(() => db.command(command));
  return cursor.firstBatch;
}

/** The driver's retryable reads: one retry, on the primary of that moment, unless no server can be selected. */
async function retryOnce<Reply>(read: () => Promise<Reply>): Promise<Reply> {
  try {
    return await read();
  } catch (failure) {
    if (!(failure instanceof mongo.MongoError) || failure instanceof mongo.MongoServerSelectionError)
      throw failure;
    return read();
  }
}
