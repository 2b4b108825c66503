/** Integer ids: one counter per noun, advanced atomically, so that ids have no gaps in normal use. */
import type { Connection, mongo } from 'mongoose';
import { defineCollection } from './support/collection.ts';

interface WriteConcern {
  w: 1 | 'majority';
}

interface SequenceRecord {
  _id: string;
  value: number;
}

export class Sequences {
  readonly #connection: Connection;
  readonly #records: mongo.Collection<SequenceRecord>;
  #fastWriteConcern: WriteConcern | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#records = defineCollection(connection, 'sequences');
  }

  /** The next id of a noun, or the first of the next `count`, starting at 1. Call it right before the insert: an id that is not inserted leaves a gap. */
  take(noun: string, count = 1): Promise<number> {
    return this.#advance(noun, count, { w: 'majority' });
  }

  /**
   * The first of the next `count` ids, without waiting for the majority: a failover may roll the counter back, so a caller
   * whose insert meets an id in use calls `skipTo` and takes new ids.
   */
  async takeUnconfirmed(noun: string, count: number): Promise<number> {
    this.#fastWriteConcern ??= await this.#chooseFastWriteConcern();
    return this.#advance(noun, count, this.#fastWriteConcern);
  }

  /** Advances the counter past an id that is in use. */
  async skipTo(noun: string, usedId: number): Promise<void> {
    await this.#records.updateOne({ _id: noun }, { $max: { value: usedId } });
  }

  async #advance(noun: string, count: number, writeConcern: WriteConcern): Promise<number> {
    const options = { upsert: true, returnDocument: 'after', writeConcern } as const;
    const sequence = await this.#records.findOneAndUpdate({ _id: noun }, { $inc: { value: count } }, options);
    if (!sequence) throw new Error(`The counter of ${noun} was neither found nor created`);
    return sequence.value - count + 1;
  }

  /**
   * In a replica set the insert that follows waits for the majority and comes after the counter in the oplog, so it
   * confirms both. Shards (behind routers that answer `isdbgrid`) have separate oplogs, so there the counter waits too.
   */
  async #chooseFastWriteConcern(): Promise<WriteConcern> {
    const hello = await this.#connection.db?.command({ hello: 1 });
    return { w: hello?.['msg'] === 'isdbgrid' ? 'majority' : 1 };
  }
}
