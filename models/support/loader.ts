/** Reads documents by a unique field, batched and without Mongoose, whose casting costs as much as the read itself. */
import type { Connection, mongo } from 'mongoose';
import { createKeyBatcher } from './batcher.ts';
import { findSingleBatch } from './find-single-batch.ts';

interface LoaderOptions<Record> {
  connection: Connection;
  collection: string;
  field: keyof Record & string;
}

/** Keys are not cast, so the caller guarantees their type; strings and numbers cannot contain operators. */
export function createLoader<Record extends mongo.Document, Key extends string | number>({
  connection,
  collection,
  field,
}: LoaderOptions<Record>) {
  return createKeyBatcher(
    (keys: Key[]) => {
      const filter = { [field]: toCondition(keys) };
      return findSingleBatch<Record>(connection, { find: collection, filter, limit: keys.length });
    },
    (record) => record[field] as Key,
  );
}

/** MongoDB has a fast path for a bare value, not for `$eq` or a list of one. */
const toCondition = <Key extends string | number>(keys: Key[]) =>
  keys.length === 1 ? keys[0] : { $in: keys };
