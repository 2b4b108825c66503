/** Recognizes duplicate-key failures (E11000), so that a unique index decides between concurrent inserts. */
import { mongo } from 'mongoose';

const duplicateKeyCode = 11_000;

export const isDuplicateKey = (failure: unknown): failure is mongo.MongoServerError =>
  failure instanceof mongo.MongoServerError && failure.code === duplicateKeyCode;

/** Whether `_id` is the duplicate key. A bulk write reports single failures by message only. */
export const isDuplicateId = (failure: Error) => /^E11000 .* index: _id_ /.test(failure.message);

/** Resolves to null when another document already has the value of the unique field. */
export async function nullOnDuplicateKey<Outcome>(
  field: string,
  insert: Promise<Outcome>,
): Promise<Outcome | null> {
  try {
    return await insert;
  } catch (failure) {
    if (isDuplicateKey(failure) && Object.hasOwn(failure['keyPattern'] ?? {}, field)) return null;
    throw failure;
  }
}
