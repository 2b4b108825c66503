/** API keys: stored as a hash, verified at every call; revocation takes effect at once. */
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { createBatcher } from '../support/batcher.ts';
import { createLoader } from '../support/loader.ts';
import type { UserRecord } from '../user.ts';
import { generateSecret, hashSecret, isWellFormedSecret, prefixOf } from './format.ts';
import { type ApiKeyRecord, apiKeySchema } from './schema.ts';

export type { ApiKeyRecord } from './schema.ts';

export interface NewApiKey {
  userId: number;
  name: string;
  scopes: readonly string[];
  expiresAt: Date | null;
  /** Null: the service's limit. */
  callsPerMinute?: number | null | undefined;
}

/** A new key and its secret, which is not stored. */
export interface IssuedKey {
  key: ApiKeyRecord;
  secret: string;
}

/** What the rate limit needs of a key. */
export type RecalledKey = Pick<ApiKeyRecord, '_id' | 'callsPerMinute'>;

/** A valid key, or why it is refused; `key` is set whenever the secret belongs to one we issued. */
export type KeyVerdict =
  | { key: ApiKeyRecord; refusal: null }
  | { key: ApiKeyRecord; refusal: 'expired' | 'revoked' | 'suspended' }
  | { key: null; refusal: 'malformed' | 'unknown' };

/** Keys of which a process remembers the id. */
const recalledMax = 10_000;

/** How stale `lastUsedAt` may get, so that a busy key costs one write a minute. */
const lastUsedStaleMs = 60_000;

export class ApiKeys {
  readonly #model;
  readonly #users;
  readonly #findByHash;
  readonly #recordUses;
  /** By hash. */
  readonly #verified = new Map<string, RecalledKey>();

  constructor(connection: Connection) {
    const model = connection.model('ApiKey', apiKeySchema, 'api_keys');
    this.#model = model;
    this.#users = connection.collection<Pick<UserRecord, '_id' | 'isActive'>>('users');
    this.#findByHash = createLoader<ApiKeyRecord, string>({
      connection,
      collection: 'api_keys',
      field: 'hash',
    });
    this.#recordUses = createBatcher(async (uses: { id: string; now: Date }[]) => {
      const now = new Date(Math.max(...uses.map((use) => use.now.getTime())));
      const stale = { $not: { $gt: new Date(now.getTime() - lastUsedStaleMs) } };
      const ids = uses.map(({ id }) => id);
      await model.updateMany({ _id: { $in: ids }, lastUsedAt: stale }, { $set: { lastUsedAt: now } });
      return uses.map(() => null);
    });
  }

  /** Issues a key. The secret is returned once and not stored. */
  async issue(newKey: NewApiKey, now: Date, transaction?: ClientSession): Promise<IssuedKey> {
    const secret = generateSecret();
    const isSuspended = await this.#isSuspended(newKey.userId, transaction);
    const key = new this.#model({
      ...newKey,
      scopes: [...newKey.scopes],
      _id: randomUUID(),
      hash: hashSecret(secret),
      prefix: prefixOf(secret),
      createdAt: now,
      suspendedAt: isSuspended ? now : null,
    });
    await key.save({ session: transaction ?? null });
    return { key: key.toObject(), secret };
  }

  async #isSuspended(_id: number, session?: ClientSession): Promise<boolean> {
    return (await this.#users.findOne({ _id, isActive: false }, session && { session })) !== null;
  }

  /** Suspends the keys of users, or resumes them with null. */
  async setSuspended(userIds: number[], suspendedAt: Date | null, transaction: ClientSession): Promise<void> {
    await this.#model.updateMany(
      { userId: { $in: userIds } },
      { $set: { suspendedAt } },
      { session: transaction },
    );
  }

  /** Verifies a secret from a request. A malformed one never reaches the database. */
  async verify(secret: string, now: Date): Promise<KeyVerdict> {
    if (!isWellFormedSecret(secret)) return { key: null, refusal: 'malformed' };
    const hash = hashSecret(secret);
    const key = await this.#findByHash(hash);
    if (!key) return { key: null, refusal: 'unknown' };
    if (key.revokedAt) return { key, refusal: 'revoked' };
    if (key.suspendedAt) return { key, refusal: 'suspended' };
    if (key.expiresAt && key.expiresAt <= now) return { key, refusal: 'expired' };
    this.#remember(hash, key);
    return { key, refusal: null };
  }

  /** The key of a secret as it was when this process last verified it; null for others. It may have ended since. */
  recall(secret: string): RecalledKey | null {
    return this.#verified.get(hashSecret(secret)) ?? null;
  }

  #remember(hash: string, { _id, callsPerMinute = null }: ApiKeyRecord): void {
    if (this.#verified.get(hash)?.callsPerMinute === callsPerMinute) return;
    const [oldest] = this.#verified.keys();
    if (this.#verified.size >= recalledMax && oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.set(hash, { _id, callsPerMinute });
  }

  /** Records the use of a verified key, at most once a minute; null when it needs no record. */
  touch({ _id, lastUsedAt }: ApiKeyRecord, now: Date): Promise<unknown> | null {
    const isFresh = lastUsedAt && now.getTime() - lastUsedAt.getTime() < lastUsedStaleMs;
    return isFresh ? null : this.#recordUses({ id: _id, now });
  }

  find(id: string): Promise<ApiKeyRecord | null> {
    return this.#model.findById(id).lean().exec();
  }

  /** A user's live keys, newest first. */
  listLive(userId: number, now: Date, transaction?: ClientSession): Promise<ApiKeyRecord[]> {
    return this.#model
      .find({ userId, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] })
      .sort({ createdAt: -1, _id: -1 })
      .session(transaction ?? null)
      .lean()
      .exec();
  }

  /** A user's revoked or expired keys, newest first. */
  listEnded(userId: number, now: Date, limit: number): Promise<ApiKeyRecord[]> {
    return this.#model
      .find({ userId, $or: [{ revokedAt: { $ne: null } }, { expiresAt: { $ne: null, $lte: now } }] })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean()
      .exec();
  }

  /** A user's keys that were revoked or expired after `since`. */
  listEndedSince(
    userId: number,
    since: Date,
    now: Date,
  ): Promise<Pick<ApiKeyRecord, '_id' | 'callsPerMinute'>[]> {
    const ends = [{ revokedAt: { $gt: since } }, { expiresAt: { $gt: since, $lte: now } }];
    return this.#model.find({ userId, $or: ends }, { callsPerMinute: 1 }).lean().exec();
  }

  /** All of a user's keys, newest first. */
  list(userId: number): Promise<ApiKeyRecord[]> {
    return this.#model.find({ userId }).sort({ createdAt: -1 }).lean().exec();
  }

  /** Revokes a key; null when there is none. Revoking again keeps the first time. */
  async revoke(id: string, now: Date): Promise<ApiKeyRecord | null> {
    await this.#model.updateOne({ _id: id, revokedAt: null }, { $set: { revokedAt: now } });
    return this.#model.findById(id).lean();
  }

  /** Revokes a key of this user; null when the user has no such key. */
  async revokeOwned(userId: number, id: string, now: Date): Promise<ApiKeyRecord | null> {
    const isOwned = await this.#model.exists({ _id: id, userId });
    return isOwned && this.revoke(id, now);
  }

  /** Marks a key as replaced; it ends at `endsAt`, or earlier when it would have expired before. */
  async replace(old: ApiKeyRecord, { by, endsAt }: { by: string; endsAt: Date }, transaction: ClientSession) {
    const expiresAt = old.expiresAt && old.expiresAt < endsAt ? old.expiresAt : endsAt;
    await this.#model.updateOne(
      { _id: old._id },
      { $set: { replacedBy: by, expiresAt } },
      { session: transaction },
    );
  }
}
