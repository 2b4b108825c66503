/** The watch over servers' states: which process has it, and the last known state of each server. */
import { type ClientSession, type Connection, Schema } from 'mongoose';
import { nullOnDuplicateKey } from './support/writes.ts';

interface WatchRecord {
  /** A server's identifier, after a colon; without one, the lease. */
  _id: string;
  state?: string;
  /** When it was last in a list, to the day; the lease has none. */
  seenAt?: Date;
  holder?: string;
  until?: Date;
}

const dayMs = 24 * 60 * 60 * 1000;
const keptSeconds = 30 * 24 * 60 * 60;

const watchSchema = new Schema<WatchRecord>({
  _id: { type: String, required: true },
  state: { type: String },
  seenAt: { type: Date, expires: keptSeconds },
  holder: { type: String },
  until: { type: Date },
});

const leaseId = 'lease';
const idOf = (identifier: string) => `server:${identifier}`;

export class ServerWatches {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('ServerWatch', watchSchema, 'server_watches');
  }

  /** Takes or renews the lease; false while another process has it. */
  async hold(holder: string, now: Date, leaseMs: number): Promise<boolean> {
    const until = new Date(now.getTime() + leaseMs);
    const isFree = { $or: [{ holder }, { until: { $lte: now } }] };
    const { modifiedCount } = await this.#model.updateOne({ _id: leaseId, ...isFree }, { holder, until });
    if (modifiedCount === 1) return true;
    const created = await nullOnDuplicateKey('_id', this.#model.create({ _id: leaseId, holder, until }));
    return created !== null;
  }

  async release(holder: string): Promise<void> {
    await this.#model.deleteOne({ _id: leaseId, holder });
  }

  /** The last known state of each server; those never seen are missing. */
  async findStates(identifiers: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#model.find({ _id: { $in: identifiers.map(idOf) } }).lean();
    return new Map(found.flatMap(({ _id, state }) => (state ? [[_id.slice(idOf('').length), state]] : [])));
  }

  /** Stores the first state that is seen of a server. */
  async begin(identifier: string, state: string): Promise<void> {
    await nullOnDuplicateKey('_id', this.#model.create({ _id: idOf(identifier), state, seenAt: new Date() }));
  }

  /** Keeps the states of servers that are still there; others are forgotten after a time. */
  async keep(identifiers: readonly string[]): Promise<void> {
    const isRecent = { $gt: new Date(Date.now() - dayMs) };
    await this.#model.updateMany(
      { _id: { $in: identifiers.map(idOf) }, seenAt: { $not: isRecent } },
      { $currentDate: { seenAt: true } },
    );
  }

  /** False where the state is not `from`, as another process has changed it. */
  async change(
    identifier: string,
    { from, to }: { from: string; to: string },
    session: ClientSession,
  ): Promise<boolean> {
    const { modifiedCount } = await this.#model.updateOne(
      { _id: idOf(identifier), state: from },
      { state: to },
      { session },
    );
    return modifiedCount === 1;
  }
}
