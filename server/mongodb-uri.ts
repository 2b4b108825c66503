/** Checks MONGODB_URI before the driver reads it: the driver's errors may repeat a part of a password. */
import { z } from 'zod';

const credential = '(?:[^:/?#[\\]@%]|%[0-9a-f]{2})*';
const host = '(?:\\[[\\da-f:.]+\\]|[^:,/?#@[\\]]+)(?::\\d{1,5})?';
const options = '(?:[a-z]+=[^&]*(?:&|$))*';

const shape = new RegExp(
  `^mongodb(?:\\+srv)?://(?:${credential}(?::${credential})?@)?${host}(?:,${host})*(?:/(?<database>[^?@]*))?(?:\\?${options})?$`,
  'i',
);

const databaseOf = (uri: string) => shape.exec(uri)?.groups?.['database'] ?? '';

export const mongodbUri = z
  .string()
  .regex(/^mongodb(\+srv)?:\/\//, { error: 'must begin with mongodb:// or mongodb+srv://', abort: true })
  .regex(shape, {
    error:
      'must be of the form mongodb://USER:PASSWORD@HOST:PORT/DATABASE?OPTIONS, with : / ? # [ ] @ and % in USER and PASSWORD percent-encoded',
    abort: true,
  })
  .refine((uri) => !['admin', 'local', 'config'].includes(databaseOf(uri)), {
    error:
      "must not name admin, local or config, MongoDB's own databases; users of admin sign in with /gamehost?authSource=admin",
  })
  .refine((uri) => /^[^/\\. "$*<>:|]{0,63}$/.test(databaseOf(uri)), {
    error: 'must name a database of at most 63 characters without blanks and / \\ . " $ * < > : |',
  });
