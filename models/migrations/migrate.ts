/**
 * Runs pending migrations: each once, in order, in one process at a time.
 * Written here because umzug has neither a lock nor a check for newer databases, and migrate-mongo needs a second driver
 * and a folder of scripts read at run time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { migrations as ownMigrations } from './index.ts';
import { type AppliedMigration, type Migration, SchemaError } from './migration.ts';
import { SchemaVersion } from './schema-version.ts';

export interface MigrateOptions {
  migrations?: readonly Migration[];
  leaseMs?: number;
  /** Called before each migration that changes the documents of a database in use, and when another process is migrating. */
  onProgress?: (line: string) => void;
  /** Stops waiting for another process. */
  signal?: AbortSignal | undefined;
}

export interface SchemaStatus {
  version: number;
  applied: AppliedMigration[];
  pending: readonly Migration[];
}

/** @throws {SchemaError} when the database is newer than the program */
export async function readSchema(connection: Connection, migrations = ownMigrations): Promise<SchemaStatus> {
  const { version, applied } = await new SchemaVersion(connection).read();
  const newest = migrations.at(-1)?.version ?? 0;
  if (version > newest)
    throw new SchemaError(
      `The database has schema version ${version}, and this program knows versions up to ${newest} only. ` +
        'Start the newer program, or restore a backup from before the upgrade.',
    );
  return { version, applied, pending: migrations.filter((migration) => migration.version > version) };
}

/** Fast when nothing is pending. @throws {SchemaError} when the database is newer than the program */
export async function migrate(connection: Connection, options: MigrateOptions = {}): Promise<void> {
  const { migrations = ownMigrations, leaseMs, onProgress = () => {}, signal } = options;
  const schemaVersion = new SchemaVersion(connection, leaseMs);
  for (let isFirst = true; ; isFirst = false) {
    if ((await readSchema(connection, migrations)).pending.length === 0) return;
    const lease = await schemaVersion.acquireLease();
    if (!lease && isFirst) onProgress('Another process is changing the database; waiting for it ...');
    if (!lease) await delay(250, undefined, { signal });
    else {
      const { pending } = await readSchema(connection, migrations);
      await runAll(pending, { connection, schemaVersion, onProgress }).finally(lease.release);
    }
  }
}

interface MigrationRun {
  connection: Connection;
  schemaVersion: SchemaVersion;
  onProgress: (line: string) => void;
}

async function runAll(
  pending: readonly Migration[],
  { connection, schemaVersion, onProgress }: MigrationRun,
): Promise<void> {
  // A new database has nothing to change, so that its first start has nothing to report.
  const hasData = (await connection.collection('users').findOne({}, { projection: { _id: 1 } })) !== null;
  for (const migration of pending) {
    if (migration.up && hasData)
      onProgress(`Bringing the database to schema version ${migration.version}: ${migration.name} ...`);
    await migration.up?.(connection);
    await schemaVersion.advance(migration);
  }
}
