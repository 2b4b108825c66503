/**
 * Many writes in one call, of which each may fail only for itself. A single one goes the driver's plain way, which costs a
 * quarter less.
 */
import { mongo } from 'mongoose';

/** Failures by the place of the write they belong to; empty when all succeeded. */
export type WriteFailures = ReadonlyMap<number, Error>;

/** Whether a write failed because its id is another document's, in MongoDB's own words. */
export const isIdTaken = (failure: Error) => /^E11000 .* index: _id_ /.test(failure.message);

type UpdateOne<Record> = Pick<mongo.UpdateOneModel<Record & mongo.Document>, 'filter'> & {
  update: mongo.UpdateFilter<Record>;
};

/** Inserts records, each whatever becomes of the others. */
export const insertAll = <Record extends mongo.Document>(
  collection: mongo.Collection<Record>,
  records: mongo.OptionalUnlessRequiredId<Record>[],
): Promise<unknown> => {
  const [only, ...others] = records;
  return only && others.length === 0
    ? collection.insertOne(only)
    : collection.insertMany(records, { ordered: false });
};

/** Makes updates, likewise; resolves to how many of them met their document. */
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
 * Runs such a call.
 * @throws what concerns all its writes: no database, no majority
 */
export async function failuresOf(write: () => Promise<unknown>): Promise<WriteFailures> {
  try {
    await write();
    return new Map();
  } catch (failure) {
    const failures = ownFailures(failure);
    if (failures.size === 0) throw failure;
    return failures;
  }
}

const duplicateKey = 11_000;

/** What the writes themselves are to blame for; a single one only for a key that is taken. */
function ownFailures(failure: unknown): WriteFailures {
  if (failure instanceof mongo.MongoBulkWriteError) {
    const writeErrors = [failure.writeErrors].flat();
    return new Map(writeErrors.map(({ index, errmsg }) => [index, new Error(errmsg, { cause: failure })]));
  }
  const isTaken = failure instanceof mongo.MongoServerError && failure.code === duplicateKey;
  return new Map(isTaken ? [[0, failure]] : []);
}
