/**
 * The one lease: it belongs to one process until that process releases it or dies. MongoDB's clock decides, because the
 * clocks of processes differ.
 */
import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { defineSchema, type RecordOf } from './collection.ts';

export const leaseSchema = defineSchema({
  _id: { type: String, required: true },
  holder: { type: String, default: null },
  leaseEndsAt: { type: Date, required: true },
}).index({ leaseEndsAt: 1 }, { expireAfterSeconds: 0 });

export type LeaseRecord = RecordOf<typeof leaseSchema>;

const released = { holder: null, leaseEndsAt: new Date(0) };

export class Lease {
  readonly #collection: mongo.Collection<LeaseRecord>;
  readonly #leaseMs: number;
  /** Matches the document while this process has the lease. */
  readonly own: { _id: string; holder: string };

  /** @param leaseMs how long others wait for a holder that died */
  constructor(collection: mongo.Collection<LeaseRecord>, id: string, leaseMs: number) {
    this.#collection = collection;
    this.#leaseMs = leaseMs;
    this.own = { _id: id, holder: randomUUID() };
  }

  async takeOrRenew(): Promise<boolean> {
    const { _id, holder } = this.own;
    // The document is created first, because an upsert cannot compare with MongoDB's clock.
    await this.#collection.updateOne({ _id }, { $setOnInsert: released }, { upsert: true });
    const isFree = { $lte: ['$leaseEndsAt', '$$NOW'] };
    const mine = { _id, $expr: { $or: [{ $eq: ['$holder', holder] }, isFree] } };
    const held = { holder, leaseEndsAt: { $add: ['$$NOW', this.#leaseMs] } };
    return (await this.#collection.updateOne(mine, [{ $set: held }])).matchedCount === 1;
  }

  async release(): Promise<void> {
    await this.#collection.updateOne(this.own, { $set: released });
  }
}
