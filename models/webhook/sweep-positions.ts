/** How far sweeps got, once for all processes; the collection holds the encrypted master key of secrets.ts and the key of notices.ts, too. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection } from '../support/collection.ts';

/** The sweep of keys that expire soon. */
export const expiringSweep = 'expiring keys';

export interface StateRecord {
  _id: string;
  /** Of the master key. */
  sealed?: string;
  /** Of notices. */
  unsubscribeKey?: string;
  /** Of a sweep. */
  upTo?: Date;
}

export class SweepPositions {
  readonly #collection: mongo.Collection<StateRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'webhook_state');
  }

  /** How far a sweep got; it begins with the given time. */
  async find(sweep: string, start: Date): Promise<Date> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const update = { $setOnInsert: { upTo: start } };
    return (await this.#collection.findOneAndUpdate({ _id: sweep }, update, options))?.upTo ?? start;
  }

  async advance(sweep: string, upTo: Date): Promise<void> {
    await this.#collection.updateOne({ _id: sweep }, { $max: { upTo } });
  }
}
