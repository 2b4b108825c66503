/** Integer ids: one counter per noun, advanced atomically, so that ids run without gaps in normal use. */
import { type Connection, Schema } from 'mongoose';

interface SequenceRecord {
  _id: string;
  value: number;
}

const sequenceSchema = new Schema<SequenceRecord>({
  _id: { type: String, required: true },
  value: { type: Number, required: true },
});

export class Sequences {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('Sequence', sequenceSchema, 'sequences');
  }

  /** The next id of a noun, starting at 1. Ask only when the insert is about to happen: an id taken is used up. */
  async next(noun: string): Promise<number> {
    const sequence = await this.#model
      .findOneAndUpdate({ _id: noun }, { $inc: { value: 1 } }, { upsert: true, returnDocument: 'after' })
      .lean();
    return sequence.value;
  }
}
