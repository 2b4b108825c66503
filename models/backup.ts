/** Dumps and loads all collections, in the BSON and metadata format of mongodump and mongorestore. */
import { type Connection, mongo } from 'mongoose';

export interface CollectionDump {
  name: string;
  /** Options and indexes as extended JSON. */
  metadata: string;
  documents: AsyncIterable<Buffer>;
}

/**
 * Passes one snapshot of all collections to `write` while the service keeps running. Later writes are not included.
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

/** A batch stays below MongoDB's 48 MB message limit, and its memory is bounded. */
const batchDocumentsMax = 1000;
const batchBytesMax = 8 * 1024 * 1024;

export async function isEmpty(connection: Connection): Promise<boolean> {
  for (const { name } of await connection.listCollections())
    if (await connection.collection(name).findOne({}, { projection: { _id: 1 } })) return false;
  return true;
}

export const dropAll = (connection: Connection) => connection.dropDatabase();

export async function loadCollection(connection: Connection, dump: CollectionDump): Promise<number> {
  const { indexes = [] }: { indexes?: mongo.IndexDescription[] } = mongo.BSON.EJSON.parse(dump.metadata);
  const collection = connection.collection(dump.name);
  let count = 0;
  for await (const batch of batchesOf(dump.documents)) {
    // An earlier release's documents may not fit today's validators: they are migrated afterwards.
    await collection.insertMany(batch.map(decode), { bypassDocumentValidation: true });
    count += batch.length;
  }
  const secondary = indexes.filter(({ name }) => name !== '_id_');
  if (count === 0) await connection.createCollection(dump.name);
  if (secondary.length > 0) await connection.db?.command({ createIndexes: dump.name, indexes: secondary });
  return count;
}

/** The options preserve BSON number types. */
const decode = (document: Buffer) =>
  mongo.BSON.deserialize(document, { promoteValues: false, promoteBuffers: false, bsonRegExp: true });

async function* batchesOf(documents: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for await (const document of documents) {
    batch.push(document);
    bytes += document.length;
    if (batch.length < batchDocumentsMax && bytes < batchBytesMax) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
