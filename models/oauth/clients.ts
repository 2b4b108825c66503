/** Apps that registered themselves. One that is not used for 30 days is forgotten, up to a day later. */
import { type Connection, Schema } from 'mongoose';

interface OAuthClientRecord {
  /** The client_id. */
  _id: string;
  /** The registration as JSON, with the hash of the client's secret in place of the secret. */
  metadata: string;
  createdAt: Date;
  /** To the day. */
  usedAt: Date;
  expiresAt: Date;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A day more than refresh tokens live, as uses are recorded to the day. */
const unusedMs = 31 * dayMs;

const clientSchema = new Schema<OAuthClientRecord>({
  _id: { type: String, required: true },
  metadata: { type: String, required: true },
  createdAt: { type: Date, required: true },
  usedAt: { type: Date, required: true },
  expiresAt: { type: Date, required: true, expires: 0 },
});

const expiryFrom = (now: Date) => new Date(now.getTime() + unusedMs);

export class OAuthClients {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('OAuthClient', clientSchema, 'oauth_clients');
  }

  async add(id: string, metadata: string, now: Date): Promise<void> {
    await this.#model.create({
      _id: id,
      metadata,
      createdAt: now,
      usedAt: now,
      expiresAt: expiryFrom(now),
    });
  }

  /** The registration; null when there is none or it went unused for too long. */
  async find(id: string, now: Date): Promise<string | null> {
    const client = await this.#model.findById(id).lean();
    return client && client.expiresAt > now ? client.metadata : null;
  }

  /** Records a use, at most once a day. */
  async touch(id: string, now: Date): Promise<void> {
    const stale = { _id: id, usedAt: { $lte: new Date(now.getTime() - dayMs) } };
    await this.#model.updateOne(stale, { $set: { usedAt: now, expiresAt: expiryFrom(now) } });
  }

  async remove(id: string): Promise<void> {
    await this.#model.deleteOne({ _id: id });
  }
}
