/** The schema version of the stored documents, recorded in the database. A program works only with its own version. */
import type { Connection } from 'mongoose';
import { type Migration, migrations } from './migrations.ts';
import { dayMs } from './support/durations.ts';
import { nullOnDuplicateKey } from './support/writes.ts';

interface SchemaRecord {
  _id: string;
  version: number;
  applied: (Pick<Migration, 'version' | 'name'> & { at: Date })[];
}

export interface SchemaStatus extends Pick<SchemaRecord, 'version' | 'applied'> {
  pending: readonly Migration[];
}

/** The database has a version that this program cannot use; the message is for the operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const [{ version: oldest }] = migrations;
const newest = migrations.at(-1)?.version ?? oldest;

const collectionOf = (connection: Connection) => connection.collection<SchemaRecord>('schema_version');

/** A new database has version 0, and all migrations are pending. @throws {SchemaError} */
export async function readSchema(connection: Connection): Promise<SchemaStatus> {
  const { version, applied } = (await collectionOf(connection).findOne()) ?? { version: 0, applied: [] };
  const found = `The database has schema version ${version}, and this program knows versions`;
  if (version > newest)
    throw new SchemaError(
      `${found} up to ${newest} only. Start the newer program, or restore a backup from before the upgrade.`,
    );
  if (version > 0 && version < oldest)
    throw new SchemaError(`${found} ${oldest} and later only. Start it on another database.`);
  return { version, applied, pending: migrations.filter((migration) => migration.version > version) };
}

/** For this long, processes of the previous version may still write documents of the old shape. */
const overlapMs = dayMs;

/** Two processes may migrate at once. @throws {SchemaError} */
export async function migrate(connection: Connection): Promise<void> {
  const { pending, applied } = await readSchema(connection);
  const since = Date.now() - overlapMs;
  const isRecent = ({ version }: Migration) =>
    applied.some((each) => each.version === version && each.at.getTime() > since);
  for (const migration of migrations.filter((each) => pending.includes(each) || isRecent(each))) {
    const { version, name, up } = migration;
    await up?.(connection);
    if (!pending.includes(migration)) continue;
    const isBehind = { _id: 'schema', version: { $lt: version } };
    const update = { $set: { version }, $push: { applied: { version, name, at: new Date() } } };
    const advance = collectionOf(connection).updateOne(isBehind, update, { upsert: true });
    await nullOnDuplicateKey('_id', advance); // another process was faster
  }
}
