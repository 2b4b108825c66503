/** Leases of files: one writer at a time writes to a file of a server, across all processes. */
import { hash, randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { defineCollection } from './support/collection.ts';
import { Lease, type LeaseRecord, leaseSchema } from './support/lease.ts';
import { limitByKey } from './support/queue.ts';
import { createStoreLater } from './support/store-later.ts';

export interface FileLease {
  /** Never rejects. */
  release(): Promise<void>;
}

export class FileLeases {
  readonly #collection: mongo.Collection<LeaseRecord>;
  readonly #leaseMs: number;
  readonly #storeLater = createStoreLater();
  /** Runs the tasks of one key in order within this process; the key is any string that identifies the file. */
  readonly runInOrder = limitByKey<string>({ runningMax: 1 });

  /** @param leaseMs longer than any write takes */
  constructor(connection: Connection, leaseMs: number) {
    this.#leaseMs = leaseMs;
    this.#collection = defineCollection(connection, 'file_leases', leaseSchema);
  }

  /**
   * Resolves to null while another writer has the lease.
   * @param path null: the lease of a restore, which writes all files; it excludes other restores
   */
  async take(server: string, path: string | null): Promise<FileLease | null> {
    // A path may be too long for an id.
    return this.#take(hash('sha256', JSON.stringify([server, path]), 'hex'));
  }

  /** A server may have several fetches at a time, each with its own mark. */
  async markFetch(server: string): Promise<FileLease> {
    const mark = await this.#take(`${fetchesOf(server)}${randomUUID()}`);
    if (!mark) throw new Error('a new id is already leased');
    return mark;
  }

  async hasFetch(server: string): Promise<boolean> {
    const prefix = fetchesOf(server);
    const isHeld = { $expr: { $gt: ['$leaseEndsAt', '$$NOW'] } };
    const filter = { _id: { $gte: prefix, $lt: `${prefix}~` }, ...isHeld };
    return (await this.#collection.findOne(filter, { projection: { _id: 1 } })) !== null;
  }

  async #take(id: string): Promise<FileLease | null> {
    const lease = new Lease(this.#collection, id, this.#leaseMs);
    const release = () => lease.release().catch(() => this.#storeLater(() => lease.release()));
    try {
      return (await lease.takeOrRenew()) ? { release } : null;
    } catch (failure) {
      // MongoDB may have stored the lease despite the failure. Then the lease would block a retry.
      void release();
      throw failure;
    }
  }
}

const fetchesOf = (server: string) => `fetch:${server}:`;
