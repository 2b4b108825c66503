/**
 * Runs pending migrations: each once, in order, in one process at a time.
 * Written here because umzug has neither a lock nor a check for newer databases, and migrate-mongo needs a second driver
 * and a folder of scripts read at run time.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
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
    await migration.up?.(connection, onProgress);
    await schemaVersion.advance(migration);
  }
}

interface SchemaRecord {
  _id: string;
  version: number;
  applied: AppliedMigration[];
  /** The process that may migrate now, if any. */
  holder: string | null;
  /** By MongoDB's clock. A holder that dies stops renewing it. */
  leaseEndsAt: Date;
}

const _id = 'schema';
const unversioned = { version: 0, applied: [], holder: null, leaseEndsAt: new Date(0) };

/** The schema version stored in the database, and the lease of the process that may migrate. */
class SchemaVersion {
  readonly #records;
  readonly #holder = randomUUID();
  readonly #leaseMs: number;

  /** @param leaseMs how long other processes wait for one that died while migrating */
  constructor(connection: Connection, leaseMs = 15_000) {
    this.#records = connection.collection<SchemaRecord>('schema_version');
    this.#leaseMs = leaseMs;
  }

  async read(): Promise<Pick<SchemaRecord, 'version' | 'applied'>> {
    return (await this.#records.findOne({ _id })) ?? unversioned;
  }

  /** Acquires the lease and renews it until `release`; null when another process holds it. */
  async acquireLease(): Promise<{ release(): Promise<void> } | null> {
    await this.#records.updateOne({ _id }, { $setOnInsert: unversioned }, { upsert: true });
    const isLeaseOver = { $lte: ['$leaseEndsAt', '$$NOW'] };
    const lease = { holder: this.#holder, ...this.#leaseEnd };
    const { matchedCount } = await this.#records.updateOne({ _id, $expr: isLeaseOver }, [{ $set: lease }]);
    if (matchedCount === 0) return null;
    const renewal = setInterval(() => void this.#renew().catch(() => {}), this.#leaseMs / 3);
    return {
      release: async () => {
        clearInterval(renewal);
        await this.#updateOwn({ $set: { holder: null, leaseEndsAt: new Date(0) } });
      },
    };
  }

  /** @throws {SchemaError} when another process took over the lease */
  async advance({ version, name }: Migration): Promise<void> {
    const step = { $set: { version }, $push: { applied: { version, name, at: new Date() } } };
    if (await this.#updateOwn(step)) return;
    throw new SchemaError('Another process took over changing the database; start again');
  }

  get #leaseEnd() {
    return { leaseEndsAt: { $add: ['$$NOW', this.#leaseMs] } };
  }

  #renew = () => this.#updateOwn([{ $set: this.#leaseEnd }]);

  async #updateOwn(update: object): Promise<boolean> {
    const { matchedCount } = await this.#records.updateOne({ _id, holder: this.#holder }, update);
    return matchedCount > 0;
  }
}
