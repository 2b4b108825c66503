/** All collections as they were at one moment, as the BSON and the metadata that mongodump writes and mongorestore reads. */
import { type Connection, mongo } from 'mongoose';

export interface CollectionDump {
  name: string;
  /** Options and indexes, in extended JSON. */
  metadata: string;
  /** Each as BSON, byte for byte. */
  documents: AsyncIterable<Buffer>;
}

/**
 * Hands over collection after collection while the service goes on: nothing that is written meanwhile is among them.
 * MongoDB remembers a moment for five minutes, unless told otherwise: what takes longer fails.
 */
export async function dumpAll(
  connection: Connection,
  keep: (dump: CollectionDump) => Promise<void>,
): Promise<void> {
  const names = (await connection.listCollections()).map(({ name }) => name);
  const metadata = new Map<string, string>();
  for (const name of names) metadata.set(name, await describe(connection, name));
  const session = await connection.startSession({ snapshot: true });
  try {
    for (const [name, description] of metadata) {
      const found: AsyncIterable<unknown> = connection.collection(name).find({}, { session, raw: true });
      const documents = found as AsyncIterable<Buffer>; // what raw means
      await keep({ name, metadata: description, documents });
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
