/** Restores documents for a loop over all operations, whatever an operation did to them. */
import type { mongo } from 'mongoose';
import type { TestService } from './service.ts';

type Stored = mongo.Document & { _id: string | number };

/**
 * @param filters by collection; a document that matches later and was not there is deleted
 * @returns puts back what matches now, one write per collection
 */
export async function rememberDocuments(
  { connection }: TestService,
  filters: Record<string, mongo.Filter<Stored>>,
): Promise<() => Promise<void>> {
  const remember = async ([name, filter]: [string, mongo.Filter<Stored>]) => {
    const collection = connection.collection<Stored>(name);
    const documents = await collection.find(filter).toArray();
    const isNew = { $and: [filter, { _id: { $nin: documents.map(({ _id }) => _id) } }] };
    const writes = documents.map((replacement) => ({
      replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
    }));
    return () => collection.bulkWrite([{ deleteMany: { filter: isNew } }, ...writes]);
  };
  const restores = await Promise.all(Object.entries(filters).map(remember));
  return async () => void (await Promise.all(restores.map((restore) => restore())));
}
