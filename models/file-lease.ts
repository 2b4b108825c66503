/** Leases of files: of several writers to one file of a server, over all processes, one writes at a time. */
import { hash } from 'node:crypto';
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
  /** Runs what takes the lease of a file, by any name of that, one after another in this process. */
  readonly runInOrder = limitByKey<string>({ runningMax: 1 });

  /** @param leaseMs longer than any write has something under way */
  constructor(connection: Connection, leaseMs: number) {
    this.#leaseMs = leaseMs;
    this.#collection = defineCollection(connection, 'file_leases', leaseSchema);
  }

  /**
   * Null while another writer has it.
   * @param path null: of a restore, which writes them all; it keeps other restores away
   */
  async take(server: string, path: string | null): Promise<FileLease | null> {
    // A path may be long.
    const id = hash('sha256', JSON.stringify([server, path]), 'hex');
    const lease = new Lease(this.#collection, id, this.#leaseMs);
    // A lease that MongoDB does not take back at once is given back later.
    const release = () => lease.release().catch(() => this.#storeLater(() => lease.release()));
    try {
      return (await lease.takeOrRenew()) ? { release } : null;
    } catch (failure) {
      // It may be held despite the failure, and would keep the retry away.
      void release();
      throw failure;
    }
  }
}
