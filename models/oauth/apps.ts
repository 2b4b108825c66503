/** Apps that registered themselves, and the authorization requests of all apps that wait for their user's decision. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { unusedAppsMax } from '../bounds.ts';
import { defineCollection, defineSchema, type RecordOf } from '../support/collection.ts';
import { dayMs, hourMs } from '../support/durations.ts';
import { hashToken } from '../support/secrets.ts';
import { appSchema } from './grants.ts';

const clientSchema = defineSchema({
  /** The client_id. */
  _id: { type: String, required: true },
  /** The registration as JSON, with the hash of the client's secret in place of the secret. */
  metadata: { type: String, required: true },
  createdAt: { type: Date, required: true },
  /** To the day; null before a user has signed in to it. */
  usedAt: { type: Date, default: null },
  expiresAt: { type: Date, required: true },
})
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ usedAt: 1, expiresAt: 1 });

type OAuthClientRecord = RecordOf<typeof clientSchema>;

/** A day more than refresh tokens live, as uses are recorded to the day. */
const keptMs = 31 * dayMs;
/** Visitors register apps, and most that register are used at once. */
const keptUnusedMs = dayMs;

/** Apps that registered themselves. One is forgotten a day after it registered, or 30 days after its last use. */
export class OAuthClients {
  readonly #collection: mongo.Collection<OAuthClientRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'oauth_clients', clientSchema);
  }

  /** One that is known already stays as it is, for a day at least; it is written again once an hour. */
  async add(id: string, metadata: string, now: Date): Promise<void> {
    const expiresAt = new Date(Math.ceil(now.getTime() / hourMs) * hourMs + keptUnusedMs);
    const added = { metadata, createdAt: now, usedAt: null };
    const update = { $setOnInsert: added, $max: { expiresAt } };
    const { upsertedCount } = await this.#collection.updateOne({ _id: id }, update, { upsert: true });
    if (upsertedCount === 0) return;
    const unused = this.#collection.find(
      { usedAt: null },
      { projection: { _id: 1 }, sort: { expiresAt: -1 } },
    );
    const beyond = await unused.skip(unusedAppsMax).toArray(); // few, as every registration removes them
    const ids = beyond.map(({ _id }) => _id);
    if (ids.length > 0) await this.#collection.deleteMany({ _id: { $in: ids }, usedAt: null });
  }

  /** The registration; null when there is none or it has expired. */
  async find(id: string, now: Date): Promise<string | null> {
    const client = await this.#collection.findOne({ _id: id });
    return client && client.expiresAt > now ? client.metadata : null;
  }

  /** Records a use, at most once a day. */
  async touch(id: string, now: Date): Promise<void> {
    const fresh = { $gt: new Date(now.getTime() - dayMs) };
    const expiresAt = new Date(now.getTime() + keptMs);
    await this.#collection.updateOne(
      { _id: id, usedAt: { $not: fresh } },
      { $set: { usedAt: now, expiresAt } },
    );
  }

  async delete(id: string): Promise<void> {
    await this.#collection.deleteOne({ _id: id });
  }
}

/** What the account page shows the user for a decision. */
const questionSchema = defineSchema({
  app: { type: appSchema, required: true },
  /** Where the app receives the answer: a host, or the scheme of an app on the user's device. */
  returnsTo: { type: String, required: true },
  scopes: { type: [String], required: true },
});

export type OAuthQuestion = RecordOf<typeof questionSchema>;

/** What the user answered, in which session. */
const answerSchema = defineSchema({
  userId: { type: Number, required: true },
  sessionId: { type: String, required: true },
  /** Null: denied. */
  grantId: { type: String, default: null },
});

type OAuthAnswer = RecordOf<typeof answerSchema>;

const requestSchema = defineSchema({
  /** SHA-256 of the id. */
  _id: { type: String, required: true },
  /** What the authorization server keeps of it, as JSON without the id. */
  payload: { type: String, required: true },
  question: { type: questionSchema, default: null },
  answer: { type: answerSchema, default: null },
  expiresAt: { type: Date, required: true },
}).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

type OAuthRequestRecord = RecordOf<typeof requestSchema>;

/** Authorization requests that wait for their user's decision, each stored under the hash of its id for ten minutes. */
export class OAuthRequests {
  readonly #collection: mongo.Collection<OAuthRequestRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'oauth_requests', requestSchema);
  }

  /** Adds a request, or replaces its payload. */
  async put(id: string, { payload, expiresAt }: Pick<OAuthRequestRecord, 'payload' | 'expiresAt'>) {
    const update = { $set: { payload, expiresAt }, $setOnInsert: { question: null, answer: null } };
    await this.#collection.updateOne({ _id: hashToken(id) }, update, { upsert: true });
  }

  /** Stores the question for its user. */
  async putQuestion(id: string, question: OAuthQuestion): Promise<void> {
    await this.#collection.updateOne({ _id: hashToken(id) }, { $set: { question } });
  }

  /** Null when there is none or it has expired. */
  async find(id: string, now: Date): Promise<OAuthRequestRecord | null> {
    const request = await this.#collection.findOne({ _id: hashToken(id) });
    return request && request.expiresAt > now ? request : null;
  }

  /** The question for its user; null when there is no such request, or it was answered. */
  async findQuestion(id: string, now: Date): Promise<OAuthQuestion | null> {
    const request = await this.find(id, now);
    return request?.answer === null ? request.question : null;
  }

  /** Stores the answer; of concurrent answers one is taken, and the others get false. */
  async answer(id: string, answer: OAuthAnswer, session: ClientSession): Promise<boolean> {
    const open = { _id: hashToken(id), answer: null };
    const { matchedCount } = await this.#collection.updateOne(open, { $set: { answer } }, { session });
    return matchedCount === 1;
  }

  async delete(id: string): Promise<void> {
    await this.#collection.deleteOne({ _id: hashToken(id) });
  }
}
