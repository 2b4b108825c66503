/** Authorization requests that wait for their user's decision, each stored under the hash of its id for ten minutes. */
import { type Connection, Schema } from 'mongoose';
import { hashToken } from '../support/token.ts';
import type { OAuthApp } from './grants.ts';

/** What the user is asked. */
export interface OAuthQuestion {
  app: OAuthApp;
  /** Where the app receives the answer: a host, or the scheme of an app on the user's device. */
  returnsTo: string;
  scopes: string[];
}

/** What the user answered, in which session. */
export interface OAuthAnswer {
  userId: number;
  sessionId: string;
  /** Null: denied. */
  grantId: string | null;
}

export interface OAuthRequestRecord {
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

  /** Stores what its user is asked. */
  async ask(id: string, question: OAuthQuestion): Promise<void> {
    await this.#model.updateOne({ _id: hashToken(id) }, { $set: { question } });
  }

  /** Null when there is none or it has expired. */
  async find(id: string, now: Date): Promise<OAuthRequestRecord | null> {
    const request = await this.#model.findById(hashToken(id)).lean();
    return request && request.expiresAt > now ? request : null;
  }

  /** What a user is asked; null when there is no such request, or it was answered. */
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

  async remove(id: string): Promise<void> {
    await this.#model.deleteOne({ _id: hashToken(id) });
  }
}
