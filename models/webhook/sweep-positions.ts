/** How far sweeps got, once for all processes; the collection holds the encrypted master key of secrets.ts and the key of notices.ts, too. */
import { type Connection, Schema } from 'mongoose';

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

const stateSchema = new Schema<StateRecord>({
  _id: { type: String, required: true },
  sealed: { type: String },
  unsubscribeKey: { type: String },
  upTo: { type: Date },
});

export class SweepPositions {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('WebhookState', stateSchema, 'webhook_state');
  }

  /** How far a sweep got; it begins with the given time. */
  async find(sweep: string, start: Date): Promise<Date> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const found = await this.#model
      .findOneAndUpdate({ _id: sweep }, { $setOnInsert: { upTo: start } }, options)
      .lean();
    return found?.upTo ?? start;
  }

  async advance(sweep: string, upTo: Date): Promise<void> {
    await this.#model.updateOne({ _id: sweep }, { $max: { upTo } });
  }
}
