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

  /**
   * Takes the next `count` ids of a noun and answers with the first, starting at 1.
   * Ask only when the inserts are about to happen: an id taken is used up.
   */
  async take(noun: string, count = 1): Promise<number> {
    const sequence = await this.#model
      .findOneAndUpdate(
        { _id: noun },
        { $inc: { value: count } },
        // The insert that follows waits for the majority, and in the log it stands behind this.
        { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } },
      )
      .lean();
    return sequence.value - count + 1;
  }

  /** Goes on after an id that is in use: with a primary that is lost, the last steps of a counter may be lost too. */
  async skipTo(noun: string, usedId: number): Promise<void> {
    await this.#model.updateOne({ _id: noun }, { $max: { value: usedId } });
  }
}
