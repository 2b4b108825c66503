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

export const insertAll = <Record extends mongo.Document>(
  collection: mongo.Collection<Record>,
  records: mongo.OptionalUnlessRequiredId<Record>[],
): Promise<unknown> => {
  const [only, ...others] = records;
  return only && others.length === 0
    ? collection.insertOne(only)
    : collection.insertMany(records, { ordered: false });
};

/** How many of the updates met their document. */
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
    const failures = failure instanceof mongo.MongoServerError ? [...ownFailures(failure)] : [];
    if (failures.length === 0) throw failure;
    return new Map(failures);
  }
}

const duplicateKey = 11_000;

/** What the writes themselves are to blame for; of a single one nothing but that its key is taken. */
function* ownFailures(failure: mongo.MongoServerError): Generator<[place: number, Error]> {
  if (failure instanceof mongo.MongoBulkWriteError)
    for (const { index, errmsg } of [failure.writeErrors].flat())
      yield [index, new Error(errmsg, { cause: failure })];
  else if (failure.code === duplicateKey) yield [0, failure];
}
