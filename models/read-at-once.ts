/**
 * Reads what surely fits into one answer of MongoDB, by the bare `find` command: the driver's cursor, which could go on
 * after that, makes such a read a tenth dearer. What the cursor does when a connection breaks is done here.
 */
import { type Connection, mongo } from 'mongoose';

interface FindAtOnce {
  /** The collection. */
  find: string;
  filter: mongo.Document;
  projection?: Readonly<Record<string, 1>>;
  sort?: mongo.Document;
  /** How many there are at the most. */
  limit: number;
}

/** The documents as they are stored; the caller vouches for their type, and for that of every value in the filter. */
export async function readAtOnce<Found>(connection: Connection, query: FindAtOnce): Promise<Found[]> {
  const { db } = connection;
  if (!db) throw new Error('There is no connection to MongoDB yet');
  const { readConcern } = db; // commands do not have it of the connection, as cursors do
  const concern = readConcern && { readConcern: { level: readConcern.level } };
  const command = { ...query, batchSize: query.limit, singleBatch: true, ...concern };
  const { cursor } = await askAgain(() => db.command(command));
  return cursor.firstBatch;
}

/** As the driver asks of its own accord: once more, if there was a server, of whoever is the primary then. */
async function askAgain<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  try {
    return await ask();
  } catch (failure) {
    if (!(failure instanceof mongo.MongoError) || failure instanceof mongo.MongoServerSelectionError)
      throw failure;
    return ask();
  }
}
