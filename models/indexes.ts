/** The indexes of all stores: those that the queries need, and what the database has of them. */
import type { Connection, IndexDefinition, IndexOptions, Model } from 'mongoose';

export interface IndexStatus extends Index {
  collection: string;
  /**
   * `different`: there, but unique or ending documents' lives where it should not, or the other way;
   * `unneeded`: there, but no query asks for it.
   */
  state: 'built' | 'missing' | 'different' | 'unneeded';
}

interface Index {
  /** As in `{ userId: 1, _id: -1 }`. */
  keys: IndexDefinition;
  isUnique: boolean;
  /** How long a document lives after the time in the field; null for ever. */
  expiresAfterSeconds: number | null;
}

/** Builds those that are missing, and their collections; quick when none is. Fails on one that is there but different. */
export async function buildIndexes(connection: Connection): Promise<void> {
  const build = async (model: Model<unknown>) => {
    await model.createCollection();
    await model.createIndexes();
  };
  await Promise.all(Object.values(connection.models).map(build));
}

/** Every index that there should be or is, collection by collection. */
export async function listIndexes(connection: Connection): Promise<IndexStatus[]> {
  const lists = await Promise.all(Object.values(connection.models).map(compare));
  return lists.flat().sort((a, b) => a.collection.localeCompare(b.collection));
}

async function compare(model: Model<unknown>): Promise<IndexStatus[]> {
  const wanted = [toIndex({ _id: 1 }), ...model.schema.indexes().map((index) => toIndex(...index))];
  const present = (await listPresent(model)).map(({ key, ...options }) => toIndex(key, options));
  const unneeded = present.filter((index) => !find(wanted, index));
  const { collectionName: collection } = model.collection;
  return [
    ...wanted.map((index) => ({ collection, ...index, state: stateOf(index, find(present, index)) })),
    ...unneeded.map((index) => ({ collection, ...index, state: 'unneeded' as const })),
  ];
}

/** None of a collection that is not there yet. */
async function listPresent(model: Model<unknown>) {
  const isThere = await model.db.listCollections();
  return isThere.some(({ name }) => name === model.collection.collectionName) ? model.listIndexes() : [];
}

const find = (indexes: readonly Index[], { keys }: Index) =>
  indexes.find((index) => JSON.stringify(index.keys) === JSON.stringify(keys));

function stateOf(wanted: Index, present: Index | undefined): IndexStatus['state'] {
  if (!present) return 'missing';
  return JSON.stringify(present) === JSON.stringify(wanted) ? 'built' : 'different';
}

const toIndex = (keys: IndexDefinition, { unique, expireAfterSeconds }: IndexOptions = {}): Index => ({
  keys,
  isUnique: Boolean(unique),
  expiresAfterSeconds: expireAfterSeconds ?? null,
});
