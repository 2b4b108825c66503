/** Apps that registered themselves, and the authorization requests of all apps that wait for their user's decision. */
import { type Connection, Schema } from 'mongoose';
import { unusedAppsMax } from '../bounds.ts';
import { dayMs, hourMs } from '../support/durations.ts';
import { hashToken } from '../support/secrets.ts';
import type { OAuthApp } from './grants.ts';

interface OAuthClientRecord {
  /** The client_id. */
  _id: string;
  /** The registration as JSON, with the hash of the client's secret in place of the secret. */
  metadata: string;
  createdAt: Date;
  /** To the day; null before a user has signed in to it. */
  usedAt: Date | null;
  expiresAt: Date;
}

/** A day more than refresh tokens live, as uses are recorded to the day. */
const keptMs = 31 * dayMs;
/** Visitors register apps, and most that register are used at once. */
const keptUnusedMs = dayMs;

const clientSchema = new Schema<OAuthClientRecord>({
  _id: { type: String, required: true },
  metadata: { type: String, required: true },
  createdAt: { type: Date, required: true },
  usedAt: { type: Date, default: null },
  expiresAt: { type: Date, required: true, expires: 0 },
});
clientSchema.index({ usedAt: 1, expiresAt: 1 });

/** Apps that registered themselves. One is forgotten a day after it registered, or 30 days after its last use. */
export class OAuthClients {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('OAuthClient', clientSchema, 'oauth_clients');
  }

  /** One that is known already stays as it is, for a day at least; it is written again once an hour. */
  async add(id: string, metadata: string, now: Date): Promise<void> {
    const expiresAt = new Date(Math.ceil(now.getTime() / hourMs) * hourMs + keptUnusedMs);
    const added = { metadata, createdAt: now, usedAt: null };
    const update = { $setOnInsert: added, $max: { expiresAt } };
    const { upsertedCount } = await this.#model.updateOne({ _id: id }, update, { upsert: true });
    if (upsertedCount === 0) return;
    const unused = this.#model.find({ usedAt: null }, { _id: 1 }).sort({ expiresAt: -1 });
    const beyond = await unused.skip(unusedAppsMax).lean(); // few, as every registration removes them
    const ids = beyond.map(({ _id }) => _id);
    if (ids.length > 0) await this.#model.deleteMany({ _id: { $in: ids }, usedAt: null });
  }

  /** The registration; null when there is none or it has expired. */
  async find(id: string, now: Date): Promise<string | null> {
    const client = await this.#model.findById(id).lean();
    return client && client.expiresAt > now ? client.metadata : null;
  }

  /** Records a use, at most once a day. */
  async touch(id: string, now: Date): Promise<void> {
    const fresh = { $gt: new Date(now.getTime() - dayMs) };
    const expiresAt = new Date(now.getTime() + keptMs);
    await this.#model.updateOne({ _id: id, usedAt: { $not: fresh } }, { $set: { usedAt: now, expiresAt } });
  }

  async delete(id: string): Promise<void> {
    await this.#model.deleteOne({ _id: id });
  }
}

/** What the account page shows the user for a decision. */
export interface OAuthQuestion {
  app: OAuthApp;
  /** Where the app receives the answer: a host, or the scheme of an app on the user's device. */
  returnsTo: string;
  scopes: string[];
}

/** What the user answered, in which session. */
interface OAuthAnswer {
  userId: number;
  sessionId: string;
  /** Null: denied. */
  grantId: string | null;
}

interface OAuthRequestRecord {
  /** SHA-256 of the id. */
  _id: string;
  /** What the authorization server keeps of it, as JSON without the id. */
  payload: string;
  question: OAuthQuestion | null;
  answer: OAuthAnswer | null;
  expiresAt: Date;
}

const requestSchema = new Schema<OAuthRequestRecord>({
  _id: { type: String, required: true },
  payload: { type: String, required: true },
  question: { type: Schema.Types.Mixed, default: null },
  answer: { type: Schema.Types.Mixed, default: null },
  expiresAt: { type: Date, required: true, expires: 0 },
});

/** Authorization requests that wait for their user's decision, each stored under the hash of its id for ten minutes. */
export class OAuthRequests {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('OAuthRequest', requestSchema, 'oauth_requests');
  }

  /** Adds a request, or replaces its payload. */
  async put(id: string, { payload, expiresAt }: Pick<OAuthRequestRecord, 'payload' | 'expiresAt'>) {
    const fresh = { question: null, answer: null };
    await this.#model.updateOne(
      { _id: hashToken(id) },
      { $set: { payload, expiresAt }, $setOnInsert: fresh },
      { upsert: true },
    );
  }

  /** Stores the question for its user. */
  async putQuestion(id: string, question: OAuthQuestion): Promise<void> {
    await this.#model.updateOne({ _id: hashToken(id) }, { $set: { question } });
  }

  /** Null when there is none or it has expired. */
  async find(id: string, now: Date): Promise<OAuthRequestRecord | null> {
    const request = await this.#model.findById(hashToken(id)).lean();
    return request && request.expiresAt > now ? request : null;
  }

  /** The question for its user; null when there is no such request, or it was answered. */
  async findQuestion(id: string, now: Date): Promise<OAuthQuestion | null> {
    const request = await this.find(id, now);
    return request?.answer === null ? request.question : null;
  }

  /** Stores the answer; of concurrent answers one is taken, and the others get false. */
  async answer(id: string, answer: OAuthAnswer): Promise<boolean> {
    const open = { _id: hashToken(id), answer: null };
    const { matchedCount } = await this.#model.updateOne(open, { $set: { answer } });
    return matchedCount === 1;
  }

  async delete(id: string): Promise<void> {
    await this.#model.deleteOne({ _id: hashToken(id) });
  }
}
