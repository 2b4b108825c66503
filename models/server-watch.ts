/** The watch over servers' states: which process has it, and the last known state of each server. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { defineCollection } from './support/collection.ts';
import { dayMs, daySeconds } from './support/durations.ts';
import { Lease, type LeaseRecord } from './support/lease.ts';
import { nullOnDuplicateKey } from './support/writes.ts';

interface WatchRecord {
  /** A server's identifier, after a colon. */
  _id: string;
  state?: string;
  /** When it was last in a list, to the day; the lease, which is stored here too, has none. */
  seenAt?: Date;
}

const keptSeconds = 30 * daySeconds;

const idOf = (identifier: string) => `server:${identifier}`;

export class ServerWatches {
  readonly #collection: mongo.Collection<WatchRecord>;
  readonly #leases;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'server_watches', [
      [{ seenAt: 1 }, { expireAfterSeconds: keptSeconds }],
    ]);
    this.#leases = connection.collection<LeaseRecord>('server_watches');
  }

  /** For a process that may watch. */
  createLease(leaseMs: number): Lease {
    return new Lease(this.#leases, 'lease', leaseMs);
  }

  /** Stores the first state that is seen of a server; returns the one that it has then. */
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

  /** Keeps the states of servers that are still there; others are forgotten after a time. */
  async keep(identifiers: readonly string[]): Promise<void> {
    const isRecent = { $gt: new Date(Date.now() - dayMs) };
    await this.#collection.updateMany(
      { _id: { $in: identifiers.map(idOf) }, seenAt: { $not: isRecent } },
      { $currentDate: { seenAt: true } },
    );
  }

  /** False where the state is not `from`, as another process has changed it. */
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
