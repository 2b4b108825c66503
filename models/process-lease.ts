/** Leases of processes: each process that serves on this database holds one until it stops. */
import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { defineCollection } from './support/collection.ts';
import { Lease, type LeaseRecord, leaseSchema } from './support/lease.ts';

/** How long a process that died still counts as running. */
export const processLeaseMs = 30_000;

export class ProcessLeases {
  readonly #collection: mongo.Collection<LeaseRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'process_leases', leaseSchema);
  }

  create(): Lease {
    return new Lease(this.#collection, randomUUID(), processLeaseMs);
  }

  async count(): Promise<number> {
    return (await this.#collection.find({ $expr: { $gt: ['$leaseEndsAt', '$$NOW'] } }).toArray()).length;
  }
}
