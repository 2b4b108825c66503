/** The version of the stored documents' shape, which is recorded in the database: a program works with its own only. */
import type { Connection } from 'mongoose';
import { nullOnDuplicateKey } from './support/writes.ts';

interface Migration {
  version: number;
  name: string;
}

interface SchemaRecord {
  _id: string;
  version: number;
  applied: (Migration & { at: Date })[];
}

export interface SchemaStatus extends Pick<SchemaRecord, 'version' | 'applied'> {
  pending: Migration[];
}

/** The database has another shape than this program's; the message is for the operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** Not 1, as databases from before the first release have lower ones, and another shape. */
const baseline = { version: 11, name: 'The first shape' };

const collectionOf = (connection: Connection) => connection.collection<SchemaRecord>('schema_version');

/** Version 0 of a new database, where the baseline is pending. @throws {SchemaError} */
export async function readSchema(connection: Connection): Promise<SchemaStatus> {
  const { version, applied } = (await collectionOf(connection).findOne()) ?? { version: 0, applied: [] };
  const found = `The database has schema version ${version}, and this program knows versions`;
  if (version > baseline.version)
    throw new SchemaError(
      `${found} up to ${baseline.version} only. Start the newer program, or restore a backup from before the upgrade.`,
    );
  if (version > 0 && version < baseline.version)
    throw new SchemaError(`${found} from ${baseline.version} on only. Start it on another database.`);
  return { version, applied, pending: version === 0 ? [baseline] : [] };
}

/** Records the version in a new database. @throws {SchemaError} */
export async function migrate(connection: Connection): Promise<void> {
  const { pending } = await readSchema(connection);
  if (pending.length === 0) return;
  const applied = pending.map((migration) => ({ ...migration, at: new Date() }));
  const record = { _id: 'schema', version: baseline.version, applied };
  await nullOnDuplicateKey('_id', collectionOf(connection).insertOne(record)); // of another process
}
