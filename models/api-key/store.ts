/** API keys: stored as a hash, verified on every call, at most 25 live ones per user. Revocation takes effect at once. */
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { liveKeysMax } from '../bounds.ts';
import { defineCollection, defineSchema, type RecordOf } from '../support/collection.ts';
import { daySeconds, minuteMs } from '../support/durations.ts';
import { matchAfter } from '../support/pages.ts';
import { createLoader } from '../support/reads.ts';
import { createUseRecorder } from '../support/writes.ts';
import type { Users } from '../user.ts';
import { defaultKeyPrefix, generateSecret, hashSecret, isWellFormedSecret, prefixOf } from './secret.ts';

/** Ended keys are kept as long as audit entries, which refer to them. */
const keptEndedSeconds = 90 * daySeconds;

/** Serves two queries: an owner's live keys, and an owner's ended keys sorted by when they ended. */
const byOwner = { userId: 1, revokedAt: 1, expiresAt: 1 } as const;

const apiKeySchema = defineSchema({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  name: { type: String, required: true },
  hash: { type: String, required: true },
  prefix: { type: String, required: true },
  scopes: { type: [String], required: true },
  createdAt: { type: Date, required: true },
  expiresAt: { type: Date, default: null },
  revokedAt: { type: Date, default: null },
  /** `leaked`: the key was reported as leaked; null: the key is not revoked, or its owner or an operator revoked it. */
  revokedReason: { type: String, enum: ['leaked'] },
  /** Set while the owner is suspended, so that verifying a key reads nothing but the key. */
  suspendedAt: Date,
  /** The only servers that the key reaches; null: all of its owner's. */
  servers: { type: [String], default: undefined },
  /** The only addresses and ranges that may use the key; null: any. */
  addresses: { type: [String], default: undefined },
  /** The key's own limit; null: the service's. */
  callsPerMinute: Number,
  replacedBy: { type: String, default: null },
  /** Accurate to the minute; null: never used. */
  lastUsedAt: { type: Date, default: null },
  /** Identifies the write that created the key; a retry has the same id. */
  writeId: { type: String, allowNull: false },
})
  .index({ hash: 1 }, { unique: true })
  .index({ expiresAt: 1 }, { expireAfterSeconds: keptEndedSeconds })
  .index({ revokedAt: 1 }, { expireAfterSeconds: keptEndedSeconds })
  .index(byOwner);

export type ApiKeyRecord = RecordOf<typeof apiKeySchema>;

const byExpiry = { expiresAt: 1, _id: 1 } as const;

export interface NewApiKey extends Pick<ApiKeyRecord, 'userId' | 'name' | 'expiresAt'> {
  writeId?: string | undefined;
  scopes: readonly string[];
  servers?: readonly string[] | null | undefined;
  addresses?: readonly string[] | null | undefined;
  callsPerMinute?: number | null | undefined;
}

/** The secret is returned once and not stored. */
export interface IssuedKey {
  key: ApiKeyRecord;
  secret: string;
}

export interface Rotation {
  userId: number;
  id: string;
  overlapMs: number;
  /** The latest expiry of the new key; null: the old key's expiry. */
  expiresBy?: Date | null;
  allowedScopes: readonly string[];
  forbiddenScopes?: readonly string[];
  writeId?: string | undefined;
}

type RotationRefusal = 'not_found' | 'replaced' | 'full' | 'scope_refused';

/** A ring is deleted this long after its last change. No change takes longer. */
const keptRingSeconds = daySeconds;

/** One document per user. Each change to the user's keys writes it, so concurrent changes conflict and run one by one. */
const keyRingSchema = defineSchema({
  _id: { type: Number, required: true },
  changeCount: { type: Number, required: true },
  changedAt: { type: Date, required: true },
}).index({ changedAt: 1 }, { expireAfterSeconds: keptRingSeconds });

type KeyRingRecord = RecordOf<typeof keyRingSchema>;

/** `key` is set whenever the secret belongs to a key that we issued. */
type KeyVerdict =
  | { key: ApiKeyRecord; refusal: null }
  | { key: ApiKeyRecord; refusal: 'expired' | 'revoked' | 'suspended' }
  | { key: null; refusal: 'malformed' | 'unknown' };

export class ApiKeys {
  readonly #collection: mongo.Collection<ApiKeyRecord>;
  readonly #rings: mongo.Collection<KeyRingRecord>;
  readonly #users: Users;
  readonly #findByHash;
  readonly find: (id: string) => Promise<ApiKeyRecord | null>;
  readonly #recordUse;
  readonly #keyPrefix: string;

  constructor(connection: Connection, users: Users, keyPrefix = defaultKeyPrefix) {
    this.#collection = defineCollection(connection, 'api_keys', apiKeySchema);
    this.#rings = defineCollection(connection, 'key_rings', keyRingSchema);
    this.#keyPrefix = keyPrefix;
    this.#users = users;
    this.#findByHash = createLoader<ApiKeyRecord, string>(connection, 'api_keys', 'hash');
    this.find = createLoader<ApiKeyRecord, string>(connection, 'api_keys', '_id');
    this.#recordUse = createUseRecorder(connection, 'api_keys', 'lastUsedAt');
  }

  /** Resolves to null when the user has `liveKeysMax` keys; concurrent calls cannot exceed that number, either. */
  async add(newKey: NewApiKey, now: Date, transaction: ClientSession): Promise<IssuedKey | null> {
    await this.lock([newKey.userId], transaction);
    const live = await this.listLive(newKey.userId, now, transaction);
    return live.length < liveKeysMax ? this.issue(newKey, now, transaction) : null;
  }

  /** Replaces a live key with one of the same name, scopes, restrictions and expiry; the old one ends after the overlap. */
  async rotate(
    { userId, id, overlapMs, expiresBy = null, allowedScopes, forbiddenScopes = [], writeId }: Rotation,
    now: Date,
    transaction: ClientSession,
  ): Promise<IssuedKey | RotationRefusal> {
    await this.lock([userId], transaction);
    const live = await this.listLive(userId, now, transaction);
    const old = live.find(({ _id }) => _id === id);
    if (!old) return 'not_found';
    if (old.replacedBy) return 'replaced';
    if (live.length - (overlapMs === 0 ? 1 : 0) >= liveKeysMax) return 'full';
    if (old.scopes.some((scope) => forbiddenScopes.includes(scope))) return 'scope_refused';
    const { name, callsPerMinute, servers, addresses } = old;
    const expiresAt = earlierOf(old.expiresAt, expiresBy);
    const scopes = old.scopes.filter((scope) => allowedScopes.includes(scope));
    const newKey = { userId, name, scopes, servers, addresses, expiresAt, callsPerMinute, writeId };
    const issued = await this.issue(newKey, now, transaction);
    const endsAt = earlierOf(old.expiresAt, new Date(now.getTime() + overlapMs));
    const replaced = { $set: { replacedBy: issued.key._id, expiresAt: endsAt } };
    await this.#collection.updateOne({ _id: id }, replaced, { session: transaction });
    return issued;
  }

  /** Makes a transaction conflict with every concurrent change to these users' keys. */
  async lock(userIds: readonly number[], session: ClientSession): Promise<void> {
    const update = { $inc: { changeCount: 1 }, $currentDate: { changedAt: true as const } };
    const updates = userIds.map((_id) => ({ updateOne: { filter: { _id }, update, upsert: true } }));
    await this.#rings.bulkWrite(updates, { session });
  }

  async issue(newKey: NewApiKey, now: Date, transaction?: ClientSession): Promise<IssuedKey> {
    const secret = generateSecret(this.#keyPrefix);
    const { userId, scopes, servers, addresses, callsPerMinute = null, writeId, ...named } = newKey;
    const key: ApiKeyRecord = {
      ...named,
      _id: randomUUID(),
      userId,
      hash: hashSecret(secret),
      prefix: prefixOf(secret),
      scopes: [...scopes],
      servers: servers ? [...servers] : null,
      addresses: addresses ? [...addresses] : null,
      callsPerMinute,
      createdAt: now,
      revokedAt: null,
      revokedReason: null,
      suspendedAt: (await this.#users.isActive(userId, transaction)) ? null : now,
      replacedBy: null,
      lastUsedAt: null,
      ...(writeId && { writeId }),
    };
    await this.#collection.insertOne(key, transaction && { session: transaction });
    return { key, secret };
  }

  async setSuspended(userIds: number[], suspendedAt: Date | null, session: ClientSession): Promise<void> {
    await this.#collection.updateMany({ userId: { $in: userIds } }, { $set: { suspendedAt } }, { session });
  }

  async verify(secret: string, now: Date): Promise<KeyVerdict> {
    if (!isWellFormedSecret(secret)) return { key: null, refusal: 'malformed' };
    const key = await this.#findByHash(hashSecret(secret));
    if (!key) return { key: null, refusal: 'unknown' };
    if (key.revokedAt) return { key, refusal: 'revoked' };
    if (key.suspendedAt) return { key, refusal: 'suspended' };
    if (key.expiresAt && key.expiresAt <= now) return { key, refusal: 'expired' };
    return { key, refusal: null };
  }

  touch({ _id, lastUsedAt }: ApiKeyRecord, now: Date): void {
    this.#recordUse(_id, lastUsedAt, now);
  }

  listLive(userId: number, now: Date, transaction?: ClientSession): Promise<ApiKeyRecord[]> {
    const live = { userId, revokedAt: null, expiresAt: { $not: { $lte: now } } };
    const options = { hint: byOwner, sort: { createdAt: -1, _id: -1 } } as const;
    return this.#collection
      .find(live, { ...options, ...(transaction && { session: transaction }) })
      .toArray();
  }

  async listEnded(userId: number, now: Date, limit: number): Promise<ApiKeyRecord[]> {
    const [revoked, expired] = await Promise.all([
      this.#listNewest({ userId, revokedAt: { $ne: null } }, { revokedAt: -1 }, limit),
      this.#listNewest({ userId, revokedAt: null, expiresAt: { $lte: now } }, { expiresAt: -1 }, limit),
    ]);
    const endOf = ({ revokedAt, expiresAt }: ApiKeyRecord) => (revokedAt ?? expiresAt ?? now).getTime();
    return [...revoked, ...expired].sort((one, other) => endOf(other) - endOf(one)).slice(0, limit);
  }

  #listNewest(filter: mongo.Filter<ApiKeyRecord>, sort: Record<string, -1>, limit: number) {
    return this.#collection.find(filter, { hint: byOwner, sort, limit }).toArray();
  }

  listJustEnded(userId: number, now: Date, session: ClientSession): Promise<ApiKeyRecord[]> {
    const since = new Date(now.getTime() - minuteMs);
    const revoked = { userId, revokedAt: { $gt: since } };
    const expired = { userId, revokedAt: null, expiresAt: { $gt: since, $lte: now } };
    return this.#collection.find({ $or: [revoked, expired] }, { session, hint: byOwner }).toArray();
  }

  /** The keys that replaced this one, in order; empty for an app's grant. */
  async listSuccessors(id: string, session: ClientSession): Promise<string[]> {
    const key = await this.#collection.findOne({ _id: id }, { session });
    return key?.replacedBy ? [key.replacedBy, ...(await this.listSuccessors(key.replacedBy, session))] : [];
  }

  /** Maps each of a user's keys to the key that it replaced, if that key is still stored. */
  async listPredecessors(userId: number, session: ClientSession): Promise<Map<string, string>> {
    const replaced = { userId, replacedBy: { $gt: '' } };
    const options = { session, hint: byOwner, projection: { replacedBy: 1 } };
    const found = await this.#collection.find(replaced, options).toArray();
    return new Map(found.map(({ _id, replacedBy }) => [replacedBy ?? '', _id]));
  }

  listNames(userId: number, ids: readonly string[]) {
    const found = this.#collection.find({ _id: { $in: [...ids] }, userId });
    return found.project<Pick<ApiKeyRecord, '_id' | 'name' | 'prefix'>>({ name: 1, prefix: 1 }).toArray();
  }

  listExpiring(last: { at: Date; id: string }, to: Date, limit: number): Promise<ApiKeyRecord[]> {
    const later = matchAfter(byExpiry, { expiresAt: last.at, _id: last.id });
    const expiring = { $and: [{ expiresAt: { $lte: to } }, later], revokedAt: null, replacedBy: null };
    const hint = { expiresAt: 1 }; // with the index on `_id`, MongoDB would read all other keys too
    return this.#collection.find(expiring, { hint, sort: byExpiry, limit }).toArray();
  }

  /** `key` is null if no key has this id, or another user owns it. Revoking a key again does not change `revokedAt`. */
  async revoke(
    id: string,
    now: Date,
    { userId, transaction }: { userId?: number | undefined; transaction?: ClientSession } = {},
  ): Promise<{ key: ApiKeyRecord | null; isChanged: boolean }> {
    const key = { _id: id, ...(userId !== undefined && { userId }) };
    const options = transaction && { session: transaction };
    const revoked = { $set: { revokedAt: now } };
    const { modifiedCount } = await this.#collection.updateOne({ ...key, revokedAt: null }, revoked, options);
    return { key: await this.#collection.findOne(key, options), isChanged: modifiedCount > 0 };
  }

  /** Resolves to null if no key has this id, or another user owns it. */
  rename(
    id: string,
    name: string,
    { userId, transaction }: { userId?: number | undefined; transaction?: ClientSession } = {},
  ): Promise<ApiKeyRecord | null> {
    const key = { _id: id, ...(userId !== undefined && { userId }) };
    const options = { returnDocument: 'after', ...(transaction && { session: transaction }) } as const;
    return this.#collection.findOneAndUpdate(key, { $set: { name } }, options);
  }

  async revokeAll(userId: number, now: Date, session: ClientSession): Promise<ApiKeyRecord[]> {
    const live = { userId, revokedAt: null };
    const keys = await this.#collection.find(live, { session }).toArray();
    await this.#collection.updateMany(live, { $set: { revokedAt: now } }, { session });
    return keys;
  }

  /** Revokes the keys among these strings; resolves to all keys found, as they were before. */
  async revokeLeaked(secrets: readonly string[], now: Date, session: ClientSession): Promise<ApiKeyRecord[]> {
    const hashes = secrets.map(hashSecret);
    const keys = await this.#collection.find({ hash: { $in: hashes } }, { session }).toArray();
    const live = { hash: { $in: hashes }, revokedAt: null };
    const revoked = { revokedAt: now, revokedReason: 'leaked' as const };
    if (keys.length > 0) await this.#collection.updateMany(live, { $set: revoked }, { session });
    return keys;
  }
}

/** Null stands for "never". */
const earlierOf = (one: Date | null, other: Date | null) =>
  one && other ? (one < other ? one : other) : (one ?? other);
