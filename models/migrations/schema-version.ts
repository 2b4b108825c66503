/** The schema version stored in the database, and the lease of the process that may migrate. */
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { type AppliedMigration, type Migration, SchemaError } from './migration.ts';

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

export class SchemaVersion {
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
