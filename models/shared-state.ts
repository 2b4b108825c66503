/** State that all processes share: the progress of sweeps, the vault's encrypted master key, the key that signs mail links. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';

export const expiringSweep = 'expiring keys';

const stateSchema = defineSchema({
  _id: { type: String, required: true },
  /** The vault's master key, encrypted. */
  sealed: { type: String, allowNull: false },
  unsubscribeKey: { type: String, allowNull: false },
  upTo: { type: Date, allowNull: false },
});

type StateRecord = RecordOf<typeof stateSchema>;

export class SharedState {
  readonly #collection: mongo.Collection<StateRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'webhook_state', stateSchema);
  }

  /** Resolves to the stored state with this id; stores the given one if there is none. All processes get the same state. */
  async ensure({ _id, ...state }: StateRecord): Promise<StateRecord> {
    // An update that changes nothing still waits until a majority has confirmed the result. A read would not.
    const options = { upsert: true, returnDocument: 'after' } as const;
    const stored = await this.#collection.findOneAndUpdate({ _id }, { $setOnInsert: state }, options);
    return stored ?? { _id, ...state };
  }

  async set(id: string, state: Omit<StateRecord, '_id'>): Promise<void> {
    await this.#collection.updateOne({ _id: id }, { $set: state }, { upsert: true });
  }

  async findPosition(sweep: string, start: Date): Promise<Date> {
    return (await this.ensure({ _id: sweep, upTo: start })).upTo ?? start;
  }

  async advance(sweep: string, upTo: Date): Promise<void> {
    await this.#collection.updateOne({ _id: sweep }, { $max: { upTo } });
  }
}
