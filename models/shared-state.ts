/** The state that all processes share: how far sweeps got, the vault's encrypted master key, and the key of links in mail. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';

/** The sweep of keys that expire soon. */
export const expiringSweep = 'expiring keys';

const stateSchema = defineSchema({
  /** The name of the state. */
  _id: { type: String, required: true },
  /** The vault's master key, encrypted. */
  sealed: { type: String, allowNull: false },
  /** Signs links that turn mail off. */
  unsubscribeKey: { type: String, allowNull: false },
  /** How far a sweep got. */
  upTo: { type: Date, allowNull: false },
});

type StateRecord = RecordOf<typeof stateSchema>;

export class SharedState {
  readonly #collection: mongo.Collection<StateRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'webhook_state', stateSchema);
  }

  /** Returns the stored state of this id, and stores the given one where there is none. All processes get the same. */
  async ensure({ _id, ...state }: StateRecord): Promise<StateRecord> {
    // An update that changes nothing also waits until what it returns is confirmed by a majority.
    const options = { upsert: true, returnDocument: 'after' } as const;
    const stored = await this.#collection.findOneAndUpdate({ _id }, { $setOnInsert: state }, options);
    return stored ?? { _id, ...state };
  }

  async set(id: string, state: Omit<StateRecord, '_id'>): Promise<void> {
    await this.#collection.updateOne({ _id: id }, { $set: state }, { upsert: true });
  }

  /** How far a sweep got; it begins at the given time. */
  async findPosition(sweep: string, start: Date): Promise<Date> {
    return (await this.ensure({ _id: sweep, upTo: start })).upTo ?? start;
  }

  async advance(sweep: string, upTo: Date): Promise<void> {
    await this.#collection.updateOne({ _id: sweep }, { $max: { upTo } });
  }
}
