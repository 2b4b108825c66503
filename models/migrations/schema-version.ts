/** The shape that the documents have, kept among them, and the lease of the one process that may change it. */
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { type AppliedMigration, type Migration, SchemaError } from './migration.ts';

interface SchemaRecord {
  _id: string;
  version: number;
  applied: AppliedMigration[];
  /** Who may change the shape now; null for nobody. */
  holder: string | null;
  /** When a holder that has not renewed it is taken to be dead, by MongoDB's clock. */
  leaseEndsAt: Date;
}

const _id = 'schema';
const unversioned = { version: 0, applied: [], holder: null, leaseEndsAt: new Date(0) };

export class SchemaVersion {
  readonly #records;
  readonly #holder = randomUUID();
  readonly #leaseMs: number;

  /** @param leaseMs how long others wait for a process that died while it changed documents */
  constructor(connection: Connection, leaseMs = 15_000) {
    this.#records = connection.collection<SchemaRecord>('schema_version');
    this.#leaseMs = leaseMs;
  }

  async read(): Promise<Pick<SchemaRecord, 'version' | 'applied'>> {
    return (await this.#records.findOne({ _id })) ?? unversioned;
  }

  /** Whether the lease is ours from now on; it is nobody else's before `stop` or our death. */
  async take(): Promise<{ stop(): Promise<void> } | null> {
    await this.#records.updateOne({ _id }, { $setOnInsert: unversioned }, { upsert: true });
    const isOver = { $lte: ['$leaseEndsAt', '$$NOW'] };
    const lease = { holder: this.#holder, ...this.#renewal };
    const { matchedCount } = await this.#records.updateOne({ _id, $expr: isOver }, [{ $set: lease }]);
    if (matchedCount === 0) return null;
    const renewing = setInterval(() => void this.#renew().catch(() => {}), this.#leaseMs / 3);
    return {
      stop: async () => {
        clearInterval(renewing);
        await this.#updateOwn({ $set: { holder: null, leaseEndsAt: new Date(0) } });
      },
    };
  }

  /** @throws {SchemaError} when the lease is no longer ours */
  async advance({ version, name }: Migration): Promise<void> {
    const step = { $set: { version }, $push: { applied: { version, name, at: new Date() } } };
    if (await this.#updateOwn(step)) return;
    throw new SchemaError('Another process took over changing the database; start again');
  }

  get #renewal() {
    return { leaseEndsAt: { $add: ['$$NOW', this.#leaseMs] } };
  }

  #renew = () => this.#updateOwn([{ $set: this.#renewal }]);

  async #updateOwn(update: object): Promise<boolean> {
    const { matchedCount } = await this.#records.updateOne({ _id, holder: this.#holder }, update);
    return matchedCount > 0;
  }
}
