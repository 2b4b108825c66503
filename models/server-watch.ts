/** The watch over servers' states: the process that holds it, and the last known state of each server. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { dayMs, daySeconds } from './support/durations.ts';
import { Lease, type LeaseRecord } from './support/lease.ts';
import { nullOnDuplicateKey } from './support/writes.ts';

const keptSeconds = 30 * daySeconds;

const watchSchema = defineSchema({
  /** `server:` and a server's identifier, or `lease` for the lease of the process that watches. */
  _id: { type: String, required: true },
  state: { type: String, allowNull: false },
  /** When a list from the panel last contained the server, accurate to the day. */
  seenAt: { type: Date, allowNull: false },
  holder: String,
  leaseEndsAt: { type: Date, allowNull: false },
}).index({ seenAt: 1 }, { expireAfterSeconds: keptSeconds });

type WatchRecord = RecordOf<typeof watchSchema>;

const idOf = (identifier: string) => `server:${identifier}`;

export class ServerWatches {
  readonly #collection: mongo.Collection<WatchRecord>;
  readonly #leases;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'server_watches', watchSchema);
    this.#leases = connection.collection<LeaseRecord>('server_watches');
  }

  createLease(leaseMs: number): Lease {
    return new Lease(this.#leases, 'lease', leaseMs);
  }

  /** Stores the first known state of a server. Resolves to the stored state, which another process may have stored before. */
  async begin(identifier: string, state: string): Promise<string> {
    const found = await nullOnDuplicateKey(
      '_id',
      this.#collection.findOneAndUpdate(
        { _id: idOf(identifier) },
        { $setOnInsert: { state, seenAt: new Date() } },
        { upsert: true, returnDocument: 'after' },
      ),
    );
    return found?.state ?? state;
  }

  /** Keeps the states of servers that still exist; other states expire. */
  async keep(identifiers: readonly string[]): Promise<void> {
    const isRecent = { $gt: new Date(Date.now() - dayMs) };
    await this.#collection.updateMany(
      { _id: { $in: identifiers.map(idOf) }, seenAt: { $not: isRecent } },
      { $currentDate: { seenAt: true } },
    );
  }

  /** Resolves to false when the state is not `from`, because another process has changed it. */
  async change(
    identifier: string,
    { from, to }: { from: string; to: string },
    session: ClientSession,
  ): Promise<boolean> {
    const { modifiedCount } = await this.#collection.updateOne(
      { _id: idOf(identifier), state: from },
      { $set: { state: to } },
      { session },
    );
    return modifiedCount === 1;
  }
}
