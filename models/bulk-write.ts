/** Many writes in one call, of which each may fail only for itself. */
import { mongo } from 'mongoose';

/** Failures by the place of the write they belong to; empty when all succeeded. */
export type WriteFailures = ReadonlyMap<number, Error>;

/** Whether a write failed because its id is another document's, in MongoDB's own words. */
export const isIdTaken = (failure: Error) => /^E11000 .* index: _id_ /.test(failure.message);

/**
 * Runs an unordered bulk write.
 * @throws what concerns all its writes: no database, no majority
 */
export async function failuresOf(bulkWrite: () => Promise<unknown>): Promise<WriteFailures> {
  try {
    await bulkWrite();
    return new Map();
  } catch (failure) {
    const writeErrors = failure instanceof mongo.MongoBulkWriteError ? [failure.writeErrors].flat() : [];
    if (writeErrors.length === 0) throw failure;
    return new Map(writeErrors.map(({ index, errmsg }) => [index, new Error(errmsg, { cause: failure })]));
  }
}
