/** What all processes share: how far sweeps got, the encrypted master key of vault.ts and the key of notices.ts. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection } from './support/collection.ts';
import { nullOnDuplicateKey } from './support/writes.ts';

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

/** What is stored under its name: this, where there was nothing, whichever process stored it first. */
export async function ensureState(states: mongo.Collection<StateRecord>, state: StateRecord) {
  await nullOnDuplicateKey('_id', states.insertOne(state));
  return (await states.findOne({ _id: state._id }, { readConcern: { level: 'majority' } })) ?? state;
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
