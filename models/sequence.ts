/** Integer ids: one counter per noun, advanced atomically, so that ids run without gaps in normal use. */
import { type Connection, Schema } from 'mongoose';

interface WriteConcern {
  w: 1 | 'majority';
}

interface SequenceRecord {
  _id: string;
  value: number;
}

const sequenceSchema = new Schema<SequenceRecord>({
  _id: { type: String, required: true },
  value: { type: Number, required: true },
});

export class Sequences {
  readonly #connection: Connection;
  readonly #model;
  #writeConcern: WriteConcern | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#model = connection.model('Sequence', sequenceSchema, 'sequences');
  }

  /**
   * Takes the next `count` ids of a noun and answers with the first, starting at 1.
   * Ask only when the inserts are about to happen: an id taken is used up.
   */
  async take(noun: string, count = 1): Promise<number> {
    this.#writeConcern ??= await this.#chooseWriteConcern();
    const sequence = await this.#model
      .findOneAndUpdate(
        { _id: noun },
        { $inc: { value: count } },
        { upsert: true, returnDocument: 'after', writeConcern: this.#writeConcern },
      )
      .lean();
    return sequence.value - count + 1;
  }

  /** Goes on after an id that is in use: with a primary that is lost, the last steps of a counter may be lost too. */
  async skipTo(noun: string, usedId: number): Promise<void> {
    await this.#model.updateOne({ _id: noun }, { $max: { value: usedId } });
  }

  /**
   * In a replica set the insert that follows waits for the majority, and in the log it stands behind the counter's step.
   * On a sharded cluster (whose routers answer `isdbgrid`) each has a log of its own, so the counter waits as well.
   */
  async #chooseWriteConcern(): Promise<WriteConcern> {
    const hello = await this.#connection.db?.command({ hello: 1 });
    return { w: hello?.['msg'] === 'isdbgrid' ? 'majority' : 1 };
  }
}
