/**
 * Brings the documents to the shape this program knows: each migration once, in order, in one process at a time.
 * Of our own, as umzug brings neither a lock nor a word on newer databases, and migrate-mongo a second driver and a
 * folder of scripts read at run time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { migrations as ownMigrations } from './index.ts';
import { type AppliedMigration, type Migration, SchemaError } from './migration.ts';
import { SchemaVersion } from './schema-version.ts';

export interface MigrateOptions {
  migrations?: readonly Migration[];
  leaseMs?: number;
  /** Hears of each migration that changes something before it begins, and that another process is at it. */
  say?: (line: string) => void;
  /** Ends the waiting for another process. */
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

/** Quick when there is nothing to do. @throws {SchemaError} when the database is newer than the program */
export async function migrate(connection: Connection, options: MigrateOptions = {}): Promise<void> {
  const { migrations = ownMigrations, leaseMs, say = () => {}, signal } = options;
  const schemaVersion = new SchemaVersion(connection, leaseMs);
  for (let isFirst = true; ; isFirst = false) {
    if ((await readSchema(connection, migrations)).pending.length === 0) return;
    const lease = await schemaVersion.take();
    if (!lease && isFirst) say('Another process is changing the database; waiting for it ...');
    if (!lease) await delay(250, undefined, { signal });
    else {
      const { pending } = await readSchema(connection, migrations);
      await runAll(pending, { connection, schemaVersion, say }).finally(lease.stop);
    }
  }
}

interface Run {
  connection: Connection;
  schemaVersion: SchemaVersion;
  say: (line: string) => void;
}

async function runAll(pending: readonly Migration[], { connection, schemaVersion, say }: Run): Promise<void> {
  for (const migration of pending) {
    if (migration.up)
      say(`Bringing the database to schema version ${migration.version}: ${migration.name} ...`);
    await migration.up?.(connection);
    await schemaVersion.advance(migration);
  }
}
