/**
 * Runs pending migrations: each once, in order, in one process at a time.
 * Written here because umzug has neither a lock nor a check for newer databases, and migrate-mongo needs a second driver
 * and a folder of scripts read at run time.
 */
import type { Connection } from 'mongoose';
import { Lease, type LeaseRecord } from '../support/lease.ts';
import { retry } from '../support/retry.ts';
import { type AppliedMigration, type Migration, migrations as ownMigrations, SchemaError } from './index.ts';

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
  let isWaiting = false;
  const migrateOnce = async () => {
    if ((await readSchema(connection, migrations)).pending.length === 0) return;
    await schemaVersion.whileLeased(async () => {
      const { pending } = await readSchema(connection, migrations);
      await runAll(pending, { connection, schemaVersion, onProgress });
    });
  };
  const isLeasedByAnother = (failure: unknown) => {
    if (!(failure instanceof LeasedByAnother)) return false;
    if (!isWaiting) onProgress('Another process is changing the database; waiting for it ...');
    isWaiting = true;
    return true;
  };
  await retry(migrateOnce, { pauseMs: 250, signal, when: isLeasedByAnother });
}

class LeasedByAnother extends Error {}

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
    await migration.up?.(connection, onProgress);
    await schemaVersion.advance(migration);
  }
}

interface SchemaRecord extends LeaseRecord {
  version: number;
  applied: AppliedMigration[];
}

const _id = 'schema';
const unversioned = { version: 0, applied: [] };

/** The schema version stored in the database, and the lease of the process that may migrate, by MongoDB's clock. */
class SchemaVersion {
  readonly #records;
  readonly #lease;
  readonly #leaseMs: number;

  /** @param leaseMs how long other processes wait for one that died while migrating */
  constructor(connection: Connection, leaseMs = 15_000) {
    this.#records = connection.collection<SchemaRecord>('schema_version');
    this.#lease = new Lease(connection.collection<LeaseRecord>('schema_version'), _id, leaseMs);
    this.#leaseMs = leaseMs;
  }

  async read(): Promise<Pick<SchemaRecord, 'version' | 'applied'>> {
    return (await this.#records.findOne({ _id })) ?? unversioned;
  }

  /**
   * Renews the lease until the work has ended.
   * @throws {LeasedByAnother} when another process holds it
   */
  async whileLeased(work: () => Promise<void>): Promise<void> {
    await this.#records.updateOne({ _id }, { $setOnInsert: unversioned }, { upsert: true });
    if (!(await this.#lease.take())) throw new LeasedByAnother();
    const renewal = setInterval(() => void this.#lease.renew().catch(() => {}), this.#leaseMs / 3);
    try {
      await work();
    } finally {
      clearInterval(renewal);
      await this.#lease.release();
    }
  }

  /** @throws {SchemaError} when another process took over the lease */
  async advance({ version, name }: Migration): Promise<void> {
    const step = { $set: { version }, $push: { applied: { version, name, at: new Date() } } };
    const { matchedCount } = await this.#records.updateOne(this.#lease.own, step);
    if (matchedCount === 0)
      throw new SchemaError('Another process took over changing the database; start again');
  }
}
