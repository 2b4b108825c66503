/** Reads documents by a unique field: gathered, and past Mongoose, whose casting costs as much as the read itself. */
import type { Connection, mongo } from 'mongoose';
import { gatherByKey } from './gather.ts';

interface FindBy<Record> {
  connection: Connection;
  collection: string;
  field: keyof Record & string;
}

/** The caller vouches that the values are of the field's type: nothing casts them. */
export function createFindBy<Record extends mongo.Document, Key>({
  connection,
  collection,
  field,
}: FindBy<Record>) {
  const records = connection.collection<mongo.Document>(collection);
  return gatherByKey(
    async (keys: Key[]) => (await records.find({ [field]: { $in: keys } }).toArray()) as unknown as Record[], // as its schema has it
    (record) => record[field] as Key,
  );
}
