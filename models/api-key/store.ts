/** API keys: stored as a hash, verified at every call; revocation takes effect at once. */
import { randomUUID } from 'node:crypto';
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose';
import { daySeconds, minuteMs } from '../support/durations.ts';
import { after } from '../support/pages.ts';
import { createLoader } from '../support/reads.ts';
import { createUseRecorder } from '../support/writes.ts';
import type { Users } from '../user.ts';
import { defaultKeyPrefix, generateSecret, hashSecret, isWellFormedSecret, prefixOf } from './secret.ts';

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
  /** `leaked`: it was reported as leaked; null: its owner or an operator revoked it. */
  revokedReason?: 'leaked' | null;
  /** Set while the owner is suspended, so that verifying a key reads nothing but the key. */
  suspendedAt?: Date | null;
  /** The only servers that it reaches; null: all of its owner's. */
  servers?: string[] | null;
  /** The only addresses and ranges that it is used from; null: any. */
  addresses?: string[] | null;
  /** The key's own limit; null: the service's. */
  callsPerMinute?: number | null;
  /** Id of the key that replaced it. */
  replacedBy: string | null;
  /** Accurate to the minute; null: never used. */
  lastUsedAt: Date | null;
  /** The same at each try of the write that made it. */
  writeId?: string | undefined;
}

/** As long as the audit is kept, which names keys. */
const keptEndedSeconds = 90 * daySeconds;

/** An owner's live keys, and those that ended by when they did. */
const byOwner = { userId: 1, revokedAt: 1, expiresAt: 1 } as const;

const apiKeySchema = new Schema<ApiKeyRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  name: { type: String, required: true },
  hash: { type: String, required: true, unique: true },
  prefix: { type: String, required: true },
  scopes: { type: [String], required: true },
  createdAt: { type: Date, required: true },
  expiresAt: { type: Date, default: null, expires: keptEndedSeconds },
  revokedAt: { type: Date, default: null, expires: keptEndedSeconds },
  revokedReason: { type: String, default: null },
  suspendedAt: { type: Date, default: null },
  servers: { type: [String], default: null },
  addresses: { type: [String], default: null },
  callsPerMinute: { type: Number, default: null },
  replacedBy: { type: String, default: null },
  lastUsedAt: { type: Date, default: null },
  writeId: { type: String },
});
apiKeySchema.index(byOwner);

/** The id decides between equal times. */
const byExpiry = { expiresAt: 1, _id: 1 } as const;

export interface NewApiKey {
  userId: number;
  name: string;
  scopes: readonly string[];
  expiresAt: Date | null;
  /** Null: all of its owner's. */
  servers?: readonly string[] | null | undefined;
  /** Null: any. */
  addresses?: readonly string[] | null | undefined;
  /** Null: the service's limit. */
  callsPerMinute?: number | null | undefined;
  writeId?: string | undefined;
}

/** A new key and its secret, which is not stored. */
export interface IssuedKey {
  key: ApiKeyRecord;
  secret: string;
}

/** A valid key, or why it is refused; `key` is set whenever the secret belongs to one we issued. */
type KeyVerdict =
  | { key: ApiKeyRecord; refusal: null }
  | { key: ApiKeyRecord; refusal: 'expired' | 'revoked' | 'suspended' }
  | { key: null; refusal: 'malformed' | 'unknown' };

export class ApiKeys {
  readonly #model;
  readonly #users: Users;
  readonly #findByHash;
  readonly find: (id: string) => Promise<ApiKeyRecord | null>;
  readonly #recordUse;
  readonly #keyPrefix: string;

  /** @param keyPrefix how the secrets of new keys begin */
  constructor(connection: Connection, users: Users, keyPrefix = defaultKeyPrefix) {
    this.#keyPrefix = keyPrefix;
    const model = connection.model('ApiKey', apiKeySchema, 'api_keys');
    this.#model = model;
    this.#users = users;
    this.#findByHash = createLoader<ApiKeyRecord, string>({
      connection,
      collection: 'api_keys',
      field: 'hash',
    });
    this.find = createLoader<ApiKeyRecord, string>({ connection, collection: 'api_keys', field: '_id' });
    this.#recordUse = createUseRecorder(connection.collection('api_keys'), 'lastUsedAt');
  }

  /** Issues a key. The secret is returned once and not stored. */
  async issue(newKey: NewApiKey, now: Date, transaction?: ClientSession): Promise<IssuedKey> {
    const secret = generateSecret(this.#keyPrefix);
    const isSuspended = !(await this.#users.isActive(newKey.userId, transaction));
    const key = new this.#model({
      ...newKey,
      scopes: [...newKey.scopes],
      servers: newKey.servers ? [...newKey.servers] : null,
      addresses: newKey.addresses ? [...newKey.addresses] : null,
      _id: randomUUID(),
      hash: hashSecret(secret),
      prefix: prefixOf(secret),
      createdAt: now,
      suspendedAt: isSuspended ? now : null,
    });
    await key.save({ session: transaction ?? null });
    return { key: key.toObject(), secret };
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
    const key = await this.#findByHash(hashSecret(secret));
    if (!key) return { key: null, refusal: 'unknown' };
    if (key.revokedAt) return { key, refusal: 'revoked' };
    if (key.suspendedAt) return { key, refusal: 'suspended' };
    if (key.expiresAt && key.expiresAt <= now) return { key, refusal: 'expired' };
    return { key, refusal: null };
  }

  /** Records the use of a verified key, soon or not at all. */
  touch({ _id, lastUsedAt }: ApiKeyRecord, now: Date): void {
    this.#recordUse(_id, lastUsedAt, now);
  }

  /** A user's live keys, newest first. */
  listLive(userId: number, now: Date, transaction?: ClientSession): Promise<ApiKeyRecord[]> {
    return this.#model
      .find({ userId, revokedAt: null, expiresAt: { $not: { $lte: now } } })
      .hint(byOwner)
      .sort({ createdAt: -1, _id: -1 })
      .session(transaction ?? null)
      .lean()
      .exec();
  }

  /** A user's revoked or expired keys, the last that ended first. */
  async listEnded(userId: number, now: Date, limit: number): Promise<ApiKeyRecord[]> {
    const [revoked, expired] = await Promise.all([
      this.#listNewest({ userId, revokedAt: { $ne: null } }, { revokedAt: -1 }, limit),
      this.#listNewest({ userId, revokedAt: null, expiresAt: { $lte: now } }, { expiresAt: -1 }, limit),
    ]);
    const endOf = ({ revokedAt, expiresAt }: ApiKeyRecord) => (revokedAt ?? expiresAt ?? now).getTime();
    return [...revoked, ...expired].sort((one, other) => endOf(other) - endOf(one)).slice(0, limit);
  }

  #listNewest(filter: QueryFilter<ApiKeyRecord>, sort: Record<string, -1>, limit: number) {
    return this.#model.find(filter).hint(byOwner).sort(sort).limit(limit).lean().exec();
  }

  /** A user's keys that were revoked or expired within the last minute. */
  listJustEnded(userId: number, now: Date, session: ClientSession) {
    const since = new Date(now.getTime() - minuteMs);
    const revoked = { userId, revokedAt: { $gt: since } };
    const expired = { userId, revokedAt: null, expiresAt: { $gt: since, $lte: now } };
    return this.#model
      .find({ $or: [revoked, expired] }, { callsPerMinute: 1 }, { session, hint: byOwner })
      .lean()
      .exec();
  }

  /** A key, and those that took its place, one after another; of an app's grant, that alone. */
  async listSuccessors(id: string, session: ClientSession): Promise<string[]> {
    const key = await this.#model.findById(id, { replacedBy: 1 }, { session }).lean();
    return key?.replacedBy ? [id, ...(await this.listSuccessors(key.replacedBy, session))] : [id];
  }

  /** How those of these keys are called that are the user's. */
  listNames(userId: number, ids: readonly string[]) {
    return this.#model
      .find({ _id: { $in: [...ids] }, userId }, { name: 1, prefix: 1 })
      .lean()
      .exec();
  }

  /** A page of the live keys that expire in this time and have no successor, by expiry; the id decides between equal times. */
  listExpiring(last: { at: Date; id: string }, to: Date, limit: number): Promise<ApiKeyRecord[]> {
    const later = after(byExpiry, { expiresAt: last.at, _id: last.id });
    return this.#model
      .find({ $and: [{ expiresAt: { $lte: to } }, later], revokedAt: null, replacedBy: null })
      .hint({ expiresAt: 1 }) // by that of the ids, all other keys would be read too
      .sort(byExpiry)
      .limit(limit)
      .lean()
      .exec();
  }

  /** Revokes a key; `key` is null when there is none, or none of this user. Revoking again keeps the first time. */
  async revoke(
    id: string,
    now: Date,
    { userId, transaction }: { userId?: number | undefined; transaction?: ClientSession } = {},
  ): Promise<{ key: ApiKeyRecord | null; isChanged: boolean }> {
    const key = { _id: id, ...(userId !== undefined && { userId }) };
    const live = { ...key, revokedAt: null };
    const options = transaction && { session: transaction };
    const { modifiedCount } = await this.#model.updateOne(live, { $set: { revokedAt: now } }, options);
    return { key: await this.#model.findOne(key, null, options).lean(), isChanged: modifiedCount > 0 };
  }

  /** Revokes all keys of a user who is being deleted; resolves to those that were not revoked. */
  async revokeAll(userId: number, now: Date, transaction: ClientSession): Promise<ApiKeyRecord[]> {
    const live = { userId, revokedAt: null };
    const keys = await this.#model.find(live, null, { session: transaction }).lean();
    await this.#model.updateMany(live, { $set: { revokedAt: now } }, { session: transaction });
    return keys;
  }

  /** Revokes those of these strings that are keys; resolves to all of them, as they were before. */
  async revokeLeaked(
    secrets: readonly string[],
    now: Date,
    transaction: ClientSession,
  ): Promise<ApiKeyRecord[]> {
    const leaked = { hash: { $in: secrets.map(hashSecret) } };
    const keys = await this.#model.find(leaked).session(transaction).lean();
    const ids = keys.map(({ _id }) => _id);
    const reason = { revokedAt: now, revokedReason: 'leaked' as const };
    if (ids.length > 0)
      await this.#model.updateMany(
        { _id: { $in: ids }, revokedAt: null },
        { $set: reason },
        { session: transaction },
      );
    return keys;
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
