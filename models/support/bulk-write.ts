/** Unordered bulk writes with a result per write. A single write uses the driver's plain call, which is a quarter cheaper. */
import { mongo } from 'mongoose';
import { isDuplicateKey } from './duplicate-key.ts';

/** Failures by the index of their write; empty when all succeeded. */
export type WriteFailures = ReadonlyMap<number, Error>;

type UpdateOne<Record> = Pick<mongo.UpdateOneModel<Record & mongo.Document>, 'filter'> & {
  update: mongo.UpdateFilter<Record>;
};

/** Inserts records independently of each other. */
export const insertAll = <Record extends mongo.Document>(
  collection: mongo.Collection<Record>,
  records: mongo.OptionalUnlessRequiredId<Record>[],
): Promise<unknown> => {
  const [only, ...others] = records;
  return only && others.length === 0
    ? collection.insertOne(only)
    : collection.insertMany(records, { ordered: false });
};

/** Runs updates independently of each other; resolves to how many matched a document. */
export async function updateAll<Record extends mongo.Document>(
  collection: mongo.Collection<Record>,
  updates: UpdateOne<Record>[],
): Promise<number> {
  const [only, ...others] = updates;
  const { matchedCount } =
    only && others.length === 0
      ? await collection.updateOne(only.filter, only.update)
      : await collection.bulkWrite(
          updates.map((updateOne) => ({ updateOne })),
          { ordered: false },
        );
  return matchedCount;
}

/**
 * Collects the failures of single writes.
 * @throws failures of the whole call: database unreachable, no majority
 */
export async function collectFailures(write: () => Promise<unknown>): Promise<WriteFailures> {
  try {
    await write();
    return new Map();
  } catch (failure) {
    const failures = writeFailuresOf(failure);
    if (failures.size === 0) throw failure;
    return failures;
  }
}

/** A single write reports only a duplicate key as its own failure. */
function writeFailuresOf(failure: unknown): WriteFailures {
  if (failure instanceof mongo.MongoBulkWriteError) {
    const writeErrors = [failure.writeErrors].flat();
    return new Map(writeErrors.map(({ index, errmsg }) => [index, new Error(errmsg, { cause: failure })]));
  }
  return new Map(isDuplicateKey(failure) ? [[0, failure]] : []);
}
