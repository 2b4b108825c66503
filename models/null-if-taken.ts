/** Lets a unique index decide between several who insert at once: whoever comes late finds the place taken. */
import { mongo } from 'mongoose';

/** The outcome of an insert, or null when another document has its value of the unique field. */
export async function nullIfTaken<Outcome>(field: string, insert: Promise<Outcome>): Promise<Outcome | null> {
  try {
    return await insert;
  } catch (failure) {
    if (isTaken(failure, field)) return null;
    throw failure;
  }
}

const duplicateKeyCode = 11_000;

const isTaken = (failure: unknown, field: string) =>
  failure instanceof mongo.MongoServerError &&
  failure.code === duplicateKeyCode &&
  Object.hasOwn(failure['keyPattern'] ?? {}, field);
