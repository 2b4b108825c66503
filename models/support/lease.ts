/**
 * The one lease: a document names who may act, and until when. Taking, renewing and releasing it are conditional updates, so
 * that of several processes one has it, and it passes on where its holder has died.
 */
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';

export interface LeaseRecord {
  _id: string;
  holder?: string | null;
  leaseEndsAt?: Date;
}

const free = { holder: null, leaseEndsAt: new Date(0) };

export class Lease {
  readonly #collection: mongo.Collection<LeaseRecord>;
  readonly #leaseMs: number;
  /** Matches the document while this process has the lease. */
  readonly own: { _id: string; holder: string };

  /** @param leaseMs how long the others wait for a holder that died */
  constructor(collection: mongo.Collection<LeaseRecord>, id: string, leaseMs: number) {
    this.#collection = collection;
    this.#leaseMs = leaseMs;
    this.own = { _id: id, holder: randomUUID() };
  }

  /** Renews it or takes it; false while another has it. */
  async hold(now?: Date): Promise<boolean> {
    return (await this.renew(now)) || this.take(now);
  }

  /**
   * False while anyone has it.
   * @param now by MongoDB's clock unless told otherwise, as clocks of processes differ
   */
  async take(now?: Date): Promise<boolean> {
    // Before, as an upsert may not compare with MongoDB's clock.
    await this.#collection.updateOne({ _id: this.own._id }, { $setOnInsert: free }, { upsert: true });
    const endsAt = { $ifNull: ['$leaseEndsAt', free.leaseEndsAt] };
    const isFree = { _id: this.own._id, $expr: { $lte: [endsAt, now ?? '$$NOW'] } };
    return (await this.#collection.updateOne(isFree, this.#heldFrom(now))).matchedCount === 1;
  }

  /** False where it has passed to another. */
  async renew(now?: Date): Promise<boolean> {
    return (await this.#collection.updateOne(this.own, this.#heldFrom(now))).matchedCount === 1;
  }

  async release(): Promise<void> {
    await this.#collection.updateOne(this.own, { $set: free });
  }

  #heldFrom(now?: Date) {
    const leaseEndsAt = { $add: [now ?? '$$NOW', this.#leaseMs] };
    return [{ $set: { holder: this.own.holder, leaseEndsAt } }];
  }
}
