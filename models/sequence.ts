/** Integer ids: one counter per noun, advanced atomically, so that ids have no gaps in normal use. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';

const sequenceSchema = defineSchema({
  /** The noun. */
  _id: { type: String, required: true },
  /** The last id that was taken. */
  value: { type: Number, required: true },
});

type SequenceRecord = RecordOf<typeof sequenceSchema>;

export class Sequences {
  readonly #records: mongo.Collection<SequenceRecord>;

  constructor(connection: Connection) {
    this.#records = defineCollection(connection, 'sequences', sequenceSchema);
  }

  /** Resolves to the first of the next `count` ids. Call it right before the insert: an unused id leaves a gap. */
  take(noun: string, count = 1): Promise<number> {
    return this.#advance(noun, count, { w: 'majority' });
  }

  /**
   * Like `take`, without waiting for the majority. A failover may roll the counter back, so a caller whose insert meets an id
   * in use calls `skipTo` and takes new ids.
   */
  takeUnconfirmed(noun: string, count: number): Promise<number> {
    return this.#advance(noun, count, { w: 1 });
  }

  async skipTo(noun: string, usedId: number): Promise<void> {
    await this.#records.updateOne({ _id: noun }, { $max: { value: usedId } });
  }

  async #advance(noun: string, count: number, writeConcern: { w: 1 | 'majority' }): Promise<number> {
    const options = { upsert: true, returnDocument: 'after', writeConcern } as const;
    const sequence = await this.#records.findOneAndUpdate({ _id: noun }, { $inc: { value: count } }, options);
    if (!sequence) throw new Error(`The counter of ${noun} was neither found nor created`);
    return sequence.value - count + 1;
  }
}
