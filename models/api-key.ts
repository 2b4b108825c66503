/** API keys: issued once, kept as a hash, verified at every call, revoked at once. */
import { randomUUID } from 'node:crypto';
import { type Connection, Schema } from 'mongoose';
import { generateSecret, hashSecret, isWellFormedSecret, prefixOf } from './key-format.ts';

export interface ApiKeyRecord {
  _id: string;
  userId: number;
  name: string;
  hash: string;
  /** The first characters of the secret, for display. */
  prefix: string;
  scopes: string[];
  createdAt: Date;
  /** Null: never expires. */
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export interface NewApiKey {
  userId: number;
  name: string;
  scopes: readonly string[];
  expiresAt: Date | null;
}

/** A key that stands, or why it does not; `key` is there whenever the secret named one of ours. */
export type KeyVerdict =
  | { key: ApiKeyRecord; refusal: null }
  | { key: ApiKeyRecord; refusal: 'expired' | 'revoked' }
  | { key: null; refusal: 'malformed' | 'unknown' };

const apiKeySchema = new Schema<ApiKeyRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true, index: true },
  name: { type: String, required: true },
  hash: { type: String, required: true, unique: true },
  prefix: { type: String, required: true },
  scopes: { type: [String], required: true },
  createdAt: { type: Date, required: true },
  expiresAt: { type: Date, default: null },
  revokedAt: { type: Date, default: null },
});

export class ApiKeys {
  readonly #model;

  constructor(connection: Connection) {
    this.#model = connection.model('ApiKey', apiKeySchema, 'api_keys');
  }

  /** Issues a key. The secret is in the answer and nowhere else, ever again. */
  async issue(newKey: NewApiKey, now: Date): Promise<{ key: ApiKeyRecord; secret: string }> {
    const secret = generateSecret();
    const key = await this.#model.create({
      ...newKey,
      scopes: [...newKey.scopes],
      _id: randomUUID(),
      hash: hashSecret(secret),
      prefix: prefixOf(secret),
      createdAt: now,
    });
    return { key: key.toObject(), secret };
  }

  /** Judges a secret as it came in a request. A malformed one never reaches the database. */
  async verify(secret: string, now: Date): Promise<KeyVerdict> {
    if (!isWellFormedSecret(secret)) return { key: null, refusal: 'malformed' };
    const key = await this.#model.findOne({ hash: hashSecret(secret) }).lean();
    if (!key) return { key: null, refusal: 'unknown' };
    if (key.revokedAt) return { key, refusal: 'revoked' };
    if (key.expiresAt && key.expiresAt <= now) return { key, refusal: 'expired' };
    return { key, refusal: null };
  }

  /** A user's keys, newest first, revoked and expired ones too. */
  list(userId: number): Promise<ApiKeyRecord[]> {
    return this.#model.find({ userId }).sort({ createdAt: -1 }).lean().exec();
  }

  /** Revokes a key for good; null when there is no such key. Revoking twice keeps the first time. */
  async revoke(id: string, now: Date): Promise<ApiKeyRecord | null> {
    await this.#model.updateOne({ _id: id, revokedAt: null }, { $set: { revokedAt: now } });
    return this.#model.findById(id).lean();
  }
}
