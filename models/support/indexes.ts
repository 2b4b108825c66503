/** Compares the indexes of all stores with those in the database. */
import type { Connection, IndexDefinition, IndexOptions, Model } from 'mongoose';

export interface IndexStatus extends Index {
  collection: string;
  /** `different`: uniqueness or expiry differs from the schema; `unneeded`: in the database but in no schema. */
  state: 'built' | 'missing' | 'different' | 'unneeded';
}

interface Index {
  /** For example `{ userId: 1, _id: -1 }`. */
  keys: IndexDefinition;
  isUnique: boolean;
  /** A TTL index deletes documents this long after the time in the field; null: not a TTL index. */
  expiresAfterSeconds: number | null;
}

export async function listIndexes(connection: Connection): Promise<IndexStatus[]> {
  const lists = await Promise.all(Object.values(connection.models).map(compareIndexes));
  return lists.flat().sort((a, b) => a.collection.localeCompare(b.collection));
}

async function compareIndexes(model: Model<unknown>): Promise<IndexStatus[]> {
  const expected = [toIndex({ _id: 1 }), ...model.schema.indexes().map((index) => toIndex(...index))];
  const existing = (await listExisting(model)).map(({ key, ...options }) => toIndex(key, options));
  const unneeded = existing.filter((index) => !findSameKeys(expected, index));
  const { collectionName: collection } = model.collection;
  return [
    ...expected.map((index) => ({
      collection,
      ...index,
      state: stateOf(index, findSameKeys(existing, index)),
    })),
    ...unneeded.map((index) => ({ collection, ...index, state: 'unneeded' as const })),
  ];
}

/** Resolves to an empty list for a collection that does not exist yet. */
async function listExisting(model: Model<unknown>) {
  const collections = await model.db.listCollections();
  return collections.some(({ name }) => name === model.collection.collectionName) ? model.listIndexes() : [];
}

const findSameKeys = (indexes: readonly Index[], { keys }: Index) =>
  indexes.find((index) => JSON.stringify(index.keys) === JSON.stringify(keys));

function stateOf(expected: Index, existing: Index | undefined): IndexStatus['state'] {
  if (!existing) return 'missing';
  return JSON.stringify(existing) === JSON.stringify(expected) ? 'built' : 'different';
}

const toIndex = (keys: IndexDefinition, { unique, expireAfterSeconds }: IndexOptions = {}): Index => ({
  keys,
  isUnique: Boolean(unique),
  expiresAfterSeconds: expireAfterSeconds ?? null,
});
