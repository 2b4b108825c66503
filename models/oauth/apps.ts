/** Apps that registered themselves, and the authorization requests that wait for a user's decision. */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { unusedAppsMax } from '../bounds.ts';
import { defineCollection, defineSchema, type RecordOf } from '../support/collection.ts';
import { dayMs, hourMs } from '../support/durations.ts';
import { hashToken } from '../support/secrets.ts';
import { appSchema } from './grants.ts';

const clientSchema = defineSchema({
  /** The client_id. */
  _id: { type: String, required: true },
  /** The registration as JSON, with a hash in place of the client's secret. */
  metadata: { type: String, required: true },
  createdAt: { type: Date, required: true },
  /** Accurate to the day; null until a user signs in to the app. */
  usedAt: { type: Date, default: null },
  expiresAt: { type: Date, required: true },
})
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ usedAt: 1, expiresAt: 1 });

type OAuthClientRecord = RecordOf<typeof clientSchema>;

/** A day longer than the lifetime of refresh tokens, because uses are recorded to the day. */
const keptMs = 31 * dayMs;
/** Short, because any visitor can register apps, and most apps are used right after they register. */
const keptUnusedMs = dayMs;

/** An app is deleted a day after it registered, or 30 days after its last use. */
export class OAuthClients {
  readonly #collection: mongo.Collection<OAuthClientRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'oauth_clients', clientSchema);
  }

  /** Keeps a known registration unchanged for at least another day. The expiry is written at most once an hour. */
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
    const beyond = await unused.skip(unusedAppsMax).toArray(); // few, because every registration deletes the surplus
    const ids = beyond.map(({ _id }) => _id);
    if (ids.length > 0) await this.#collection.deleteMany({ _id: { $in: ids }, usedAt: null });
  }

  async find(id: string, now: Date): Promise<string | null> {
    const client = await this.#collection.findOne({ _id: id });
    return client && client.expiresAt > now ? client.metadata : null;
  }

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

/** The account page shows this to the user, who decides. */
const questionSchema = defineSchema({
  app: { type: appSchema, required: true },
  /** Where the app receives the answer: a host, or the scheme of an app on the user's device. */
  returnsTo: { type: String, required: true },
  scopes: { type: [String], required: true },
});

export type OAuthQuestion = RecordOf<typeof questionSchema>;

const answerSchema = defineSchema({
  userId: { type: Number, required: true },
  sessionId: { type: String, required: true },
  /** Null if the user denied the request. */
  grantId: { type: String, default: null },
});

type OAuthAnswer = RecordOf<typeof answerSchema>;

const requestSchema = defineSchema({
  /** SHA-256 of the id. */
  _id: { type: String, required: true },
  /** The authorization server's data as JSON, without the id. */
  payload: { type: String, required: true },
  question: { type: questionSchema, default: null },
  answer: { type: answerSchema, default: null },
  expiresAt: { type: Date, required: true },
}).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

type OAuthRequestRecord = RecordOf<typeof requestSchema>;

/** Each request is stored under the hash of its id for ten minutes. */
export class OAuthRequests {
  readonly #collection: mongo.Collection<OAuthRequestRecord>;

  constructor(connection: Connection) {
    this.#collection = defineCollection(connection, 'oauth_requests', requestSchema);
  }

  async put(id: string, { payload, expiresAt }: Pick<OAuthRequestRecord, 'payload' | 'expiresAt'>) {
    const update = { $set: { payload, expiresAt }, $setOnInsert: { question: null, answer: null } };
    await this.#collection.updateOne({ _id: hashToken(id) }, update, { upsert: true });
  }

  async putQuestion(id: string, question: OAuthQuestion): Promise<void> {
    await this.#collection.updateOne({ _id: hashToken(id) }, { $set: { question } });
  }

  async find(id: string, now: Date): Promise<OAuthRequestRecord | null> {
    const request = await this.#collection.findOne({ _id: hashToken(id) });
    return request && request.expiresAt > now ? request : null;
  }

  async findQuestion(id: string, now: Date): Promise<OAuthQuestion | null> {
    const request = await this.find(id, now);
    return request?.answer === null ? request.question : null;
  }

  /** Only one of several concurrent answers is stored; the others resolve to false. */
  async answer(id: string, answer: OAuthAnswer, session: ClientSession): Promise<boolean> {
    const open = { _id: hashToken(id), answer: null };
    const { matchedCount } = await this.#collection.updateOne(open, { $set: { answer } }, { session });
    return matchedCount === 1;
  }

  async delete(id: string): Promise<void> {
    await this.#collection.deleteOne({ _id: hashToken(id) });
  }
}
