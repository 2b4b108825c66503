/** Reads documents by a unique field: gathered, and past Mongoose, whose casting costs as much as the read itself. */
import type { Connection, mongo } from 'mongoose';
import { gatherByKey } from './gather.ts';
import { readAtOnce } from './read-at-once.ts';

interface FindBy<Record> {
  connection: Connection;
  collection: string;
  field: keyof Record & string;
}

/** The caller vouches that the keys are of the field's type: nothing casts them. No string or number is an operator. */
export function createFindBy<Record extends mongo.Document, Key extends string | number>({
  connection,
  collection,
  field,
}: FindBy<Record>) {
  return gatherByKey(
    (keys: Key[]) => {
      const filter = { [field]: oneOf(keys) };
      return readAtOnce<Record>(connection, { find: collection, filter, limit: keys.length });
    },
    (record) => record[field] as Key,
  );
}

/** MongoDB goes to a single document sooner by the bare value than by `$eq` or a list of one. */
const oneOf = <Key extends string | number>(keys: Key[]) => (keys.length === 1 ? keys[0] : { $in: keys });
