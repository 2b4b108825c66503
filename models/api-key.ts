/** API keys: issued once, kept as a hash, verified at every call, revoked at once. */
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { type ApiKeyRecord, apiKeySchema } from './api-key-schema.ts';
import { createFindBy } from './find-by.ts';
import { gather } from './gather.ts';
import { generateSecret, hashSecret, isWellFormedSecret, prefixOf } from './key-format.ts';

export type { ApiKeyRecord } from './api-key-schema.ts';

export interface NewApiKey {
  userId: number;
  name: string;
  scopes: readonly string[];
  expiresAt: Date | null;
}

/** A new key, and its secret, which is kept nowhere. */
export interface IssuedKey {
  key: ApiKeyRecord;
  secret: string;
}

/** A key that stands, or why it does not; `key` is there whenever the secret named one of ours. */
export type KeyVerdict =
  | { key: ApiKeyRecord; refusal: null }
  | { key: ApiKeyRecord; refusal: 'expired' | 'revoked' }
  | { key: null; refusal: 'malformed' | 'unknown' };

/** How old `lastUsedAt` may be, so that a busy key costs one write a minute. */
const lastUsedStaleMs = 60_000;

const nothingToNote = Promise.resolve();

export class ApiKeys {
  readonly #model;
  readonly #findByHash;
  readonly #noteUses;

  constructor(connection: Connection) {
    const model = connection.model('ApiKey', apiKeySchema, 'api_keys');
    this.#model = model;
    this.#findByHash = createFindBy<ApiKeyRecord, string>({
      connection,
      collection: 'api_keys',
      field: 'hash',
    });
    this.#noteUses = gather(async (uses: { id: string; now: Date }[]) => {
      const now = new Date(Math.max(...uses.map((use) => use.now.getTime())));
      const stale = { $not: { $gt: new Date(now.getTime() - lastUsedStaleMs) } };
      const ids = uses.map(({ id }) => id);
      await model.updateMany({ _id: { $in: ids }, lastUsedAt: stale }, { $set: { lastUsedAt: now } });
      return uses.map(() => null);
    });
  }

  /** Issues a key. The secret is in the answer and nowhere else, ever again. */
  async issue(newKey: NewApiKey, now: Date, transaction?: ClientSession): Promise<IssuedKey> {
    const secret = generateSecret();
    const key = new this.#model({
      ...newKey,
      scopes: [...newKey.scopes],
      _id: randomUUID(),
      hash: hashSecret(secret),
      prefix: prefixOf(secret),
      createdAt: now,
    });
    await key.save({ session: transaction ?? null });
    return { key: key.toObject(), secret };
  }

  /** Judges a secret as it came in a request. A malformed one never reaches the database. */
  async verify(secret: string, now: Date): Promise<KeyVerdict> {
    if (!isWellFormedSecret(secret)) return { key: null, refusal: 'malformed' };
    const key = await this.#findByHash(hashSecret(secret));
    if (!key) return { key: null, refusal: 'unknown' };
    if (key.revokedAt) return { key, refusal: 'revoked' };
    if (key.expiresAt && key.expiresAt <= now) return { key, refusal: 'expired' };
    return { key, refusal: null };
  }

  /** Notes that a verified key is in use, about once a minute. */
  noteUse({ _id, lastUsedAt }: ApiKeyRecord, now: Date): Promise<unknown> {
    const isFresh = lastUsedAt && now.getTime() - lastUsedAt.getTime() < lastUsedStaleMs;
    return isFresh ? nothingToNote : this.#noteUses({ id: _id, now });
  }

  find(id: string): Promise<ApiKeyRecord | null> {
    return this.#model.findById(id).lean().exec();
  }

  /** A user's keys that stand now, newest first. */
  listLive(userId: number, now: Date, transaction?: ClientSession): Promise<ApiKeyRecord[]> {
    return this.#model
      .find({ userId, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] })
      .sort({ createdAt: -1, _id: -1 })
      .session(transaction ?? null)
      .lean()
      .exec();
  }

  /** The newest of a user's keys that are revoked or expired, newest first. */
  listEnded(userId: number, now: Date, limit: number): Promise<ApiKeyRecord[]> {
    return this.#model
      .find({ userId, $or: [{ revokedAt: { $ne: null } }, { expiresAt: { $ne: null, $lte: now } }] })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean()
      .exec();
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

  /** The same for one of the user's own keys. */
  async revokeOwned(userId: number, id: string, now: Date): Promise<ApiKeyRecord | null> {
    const isOwned = await this.#model.exists({ _id: id, userId });
    return isOwned && this.revoke(id, now);
  }

  /** Lets a key end in favour of the one that takes its place; never later than it would have ended. */
  async replace(old: ApiKeyRecord, { by, endsAt }: { by: string; endsAt: Date }, transaction: ClientSession) {
    const expiresAt = old.expiresAt && old.expiresAt < endsAt ? old.expiresAt : endsAt;
    await this.#model.updateOne(
      { _id: old._id },
      { $set: { replacedBy: by, expiresAt } },
      { session: transaction },
    );
  }
}
