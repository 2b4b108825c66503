/** What webhooks keep once for all processes: the encrypted master key, the number of the last change, how far sweeps got. */
import { type ClientSession, type Connection, Schema } from 'mongoose';
import { nullOnDuplicateKey } from '../support/writes.ts';

interface StateRecord {
  _id: string;
  sealed?: string;
  value?: number;
  upTo?: Date;
}

const stateSchema = new Schema<StateRecord>({
  _id: { type: String, required: true },
  sealed: { type: String },
  value: { type: Number },
  upTo: { type: Date },
});

export class State {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('WebhookState', stateSchema, 'webhook_state');
  }

  /** The encrypted master key; the given one is stored where there is none. */
  async getMaster(sealed: string): Promise<string> {
    await nullOnDuplicateKey('_id', this.#model.create({ _id: 'master', sealed }));
    return (await this.findMaster()) ?? sealed;
  }

  async findMaster(): Promise<string | null> {
    const found = await this.#model.findById('master').readConcern('majority').lean();
    return found?.sealed ?? null;
  }

  async replaceMaster(sealed: string): Promise<void> {
    await this.#model.updateOne({ _id: 'master' }, { $set: { sealed } });
  }

  /** Creates the counter: two transactions that did so at once would fail. */
  async beginCounting(): Promise<void> {
    const created = this.#model.updateOne(
      { _id: 'changes' },
      { $setOnInsert: { value: 0 } },
      { upsert: true },
    );
    await nullOnDuplicateKey('_id', created.exec());
  }

  /** Transactions that count conflict with each other, so that the numbers are in the order of their commits. */
  async countChange(session: ClientSession): Promise<number> {
    const options = { returnDocument: 'after', session } as const;
    const changed = await this.#model.findOneAndUpdate({ _id: 'changes' }, { $inc: { value: 1 } }, options);
    if (changed?.value === undefined) throw new Error('The counter of webhook changes is missing');
    return changed.value;
  }

  /** How far a sweep got; it begins with the given time. */
  async sweptUpTo(sweep: string, start: Date): Promise<Date> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const found = await this.#model
      .findOneAndUpdate({ _id: sweep }, { $setOnInsert: { upTo: start } }, options)
      .lean();
    return found?.upTo ?? start;
  }

  async advanceSweep(sweep: string, upTo: Date): Promise<void> {
    await this.#model.updateOne({ _id: sweep }, { $max: { upTo } });
  }
}
