/** Dumps all collections from one snapshot, in the BSON and metadata format of mongodump and mongorestore. */
import { type Connection, mongo } from 'mongoose';

export interface CollectionDump {
  name: string;
  /** Options and indexes as extended JSON. */
  metadata: string;
  /** Raw BSON. */
  documents: AsyncIterable<Buffer>;
}

/**
 * Passes each collection to `write` while the service keeps running; later writes are not included.
 * MongoDB keeps a snapshot for five minutes by default (minSnapshotHistoryWindowInSeconds); a longer dump fails.
 */
export async function dumpAll(
  connection: Connection,
  write: (dump: CollectionDump) => Promise<void>,
): Promise<void> {
  const names = (await connection.listCollections()).map(({ name }) => name);
  const metadata = new Map<string, string>();
  for (const name of names) metadata.set(name, await describe(connection, name));
  const session = await connection.startSession({ snapshot: true });
  try {
    for (const [name, description] of metadata) {
      const found: AsyncIterable<unknown> = connection.collection(name).find({}, { session, raw: true });
      const documents = found as AsyncIterable<Buffer>; // `raw` yields buffers
      await write({ name, metadata: description, documents });
    }
  } finally {
    await session.endSession();
  }
}

async function describe(connection: Connection, collectionName: string): Promise<string> {
  const indexes = await connection.collection(collectionName).listIndexes().toArray();
  return mongo.BSON.EJSON.stringify(
    { options: {}, indexes, collectionName, type: 'collection' },
    { relaxed: false },
  );
}
