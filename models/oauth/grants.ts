/**
 * Grants: what a user allowed an app to do, one for each authorization. A grant ends when it is revoked, when its app stops
 * renewing its tokens, and after 180 days. From the next call on, its tokens are refused.
 */
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import type { ApiKeys } from '../api-key/store.ts';
import { grantsMax } from '../bounds.ts';
import { defineCollection, defineSchema, type RecordOf } from '../support/collection.ts';
import { dayMs, minuteMs } from '../support/durations.ts';
import { createLoader } from '../support/reads.ts';
import { generateToken } from '../support/secrets.ts';
import { createUseRecorder } from '../support/writes.ts';
import type { Users } from '../user.ts';

export const appSchema = defineSchema({
  clientId: { type: String, required: true },
  name: { type: String, required: true },
  /** The host that published the app's metadata document; null for an app that named itself at its registration. */
  verifiedHost: { type: String, default: null },
});

const grantSchema = defineSchema({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  app: { type: appSchema, required: true },
  scopes: { type: [String], required: true },
  refusedScopes: { type: [String], required: true },
  createdAt: { type: Date, required: true },
  /** Accurate to the minute; null: never used. */
  lastUsedAt: { type: Date, default: null },
  /** Set while the user is suspended, so that verifying a token reads no user. */
  suspendedAt: { type: Date, default: null },
  /** When the grant ends unless the app renews its tokens; at most `endsAt`. */
  expiresAt: { type: Date, required: true },
  endsAt: { type: Date, required: true },
  /** A random value in all of the grant's refresh tokens; absent until the first is created. It gives no access. */
  family: { type: String, allowNull: false },
  /** How many renewals led to the newest refresh token, and when that token was issued; absent before the first token. */
  renewals: { type: Number, allowNull: false },
  renewedAt: { type: Date, allowNull: false },
})
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  .index({ userId: 1, createdAt: -1 })
  .index({ 'app.clientId': 1 });

export type OAuthGrantRecord = RecordOf<typeof grantSchema>;

type NewOAuthGrant = Pick<OAuthGrantRecord, 'userId' | 'app' | 'scopes' | 'refusedScopes'>;

const lifetimeMs = 180 * dayMs;
/** The app must exchange its code within this time. */
const firstExpiryMs = 10 * minuteMs;

export class OAuthGrants {
  readonly #collection: mongo.Collection<OAuthGrantRecord>;
  readonly #tokens;
  readonly #users: Users;
  readonly #apiKeys: ApiKeys;
  readonly #findById;
  readonly #recordUse;

  constructor(connection: Connection, users: Users, apiKeys: ApiKeys) {
    this.#collection = defineCollection(connection, 'oauth_grants', grantSchema);
    this.#tokens = connection.collection('oauth_tokens');
    this.#users = users;
    this.#apiKeys = apiKeys;
    this.#findById = createLoader<OAuthGrantRecord, string>(connection, 'oauth_grants', '_id');
    this.#recordUse = createUseRecorder(connection, 'oauth_grants', 'lastUsedAt');
  }

  /** Resolves to null when the user has `grantsMax` grants; concurrent calls cannot exceed that number, either. */
  async add(newGrant: NewOAuthGrant, now: Date, session: ClientSession): Promise<OAuthGrantRecord | null> {
    const { userId } = newGrant;
    await this.#apiKeys.lock([userId], session);
    const count = await this.#collection.countDocuments({ userId, expiresAt: { $gt: now } }, { session });
    if (count >= grantsMax) return null;
    const grant: OAuthGrantRecord = {
      ...newGrant,
      _id: randomUUID(),
      createdAt: now,
      lastUsedAt: null,
      suspendedAt: (await this.#users.isActive(userId, session)) ? null : now,
      expiresAt: new Date(now.getTime() + firstExpiryMs),
      endsAt: new Date(now.getTime() + lifetimeMs),
    };
    await this.#collection.insertOne(grant, { session });
    return grant;
  }

  async find(id: string, now: Date): Promise<OAuthGrantRecord | null> {
    const grant = await this.#findById(id);
    return grant && grant.expiresAt > now ? grant : null;
  }

  /** The result includes expired grants that MongoDB has not deleted yet. */
  findMany(ids: readonly string[], session: ClientSession): Promise<OAuthGrantRecord[]> {
    return this.#collection.find({ _id: { $in: [...ids] } }, { session }).toArray();
  }

  list(userId: number, now: Date): Promise<OAuthGrantRecord[]> {
    return this.#collection.find({ userId, expiresAt: { $gt: now } }, { sort: { createdAt: -1 } }).toArray();
  }

  listAll(limit: number, now: Date): Promise<OAuthGrantRecord[]> {
    const live = { userId: { $gte: 0 }, expiresAt: { $gt: now } };
    return this.#collection.find(live, { sort: { userId: 1, createdAt: -1 }, limit }).toArray();
  }

  async setScopes(
    { id, userId, scopes }: { id: string; userId: number; scopes: string[] },
    now: Date,
    session: ClientSession,
  ): Promise<boolean> {
    const own = { _id: id, userId, expiresAt: { $gt: now } };
    return (await this.#collection.updateOne(own, { $set: { scopes } }, { session })).matchedCount > 0;
  }

  /** Extends a grant until one of its tokens expires, but not beyond `endsAt`. */
  async keepUntil(id: string, expiresAt: Date): Promise<void> {
    const expiry = { expiresAt: { $min: ['$endsAt', { $max: ['$expiresAt', expiresAt] }] } };
    await this.#collection.updateOne({ _id: id }, [{ $set: expiry }]);
  }

  /** The family of the grant's refresh tokens, chosen when the first is created; null when the grant has ended. */
  async chooseFamily(id: string): Promise<string | null> {
    const withoutFamily = { _id: id, family: { $exists: false } };
    const family = { $set: { family: generateToken() } };
    const chosen = await this.#collection.findOneAndUpdate(withoutFamily, family, {
      returnDocument: 'after',
    });
    const grant = chosen ?? (await this.#collection.findOne({ _id: id }));
    return grant?.family ?? null;
  }

  /** Two concurrent renewals count as one. */
  async recordRenewal(id: string, renewals: number, now: Date): Promise<void> {
    const older = { _id: id, renewals: { $not: { $gte: renewals } } };
    await this.#collection.updateOne(older, { $set: { renewals, renewedAt: now } });
  }

  touch({ _id, lastUsedAt }: Pick<OAuthGrantRecord, '_id' | 'lastUsedAt'>, now: Date): void {
    this.#recordUse(_id, lastUsedAt, now);
  }

  /** Also deletes the grants' tokens. Resolves to the grants that existed. */
  async endMany(ids: readonly string[], session: ClientSession): Promise<OAuthGrantRecord[]> {
    if (ids.length === 0) return [];
    const these = { $in: [...ids] };
    const grants = await this.findMany(ids, session);
    await this.#collection.deleteMany({ _id: these }, { session });
    await this.#tokens.deleteMany({ grantId: these }, { session });
    return grants;
  }

  async listOfClient(clientId: string): Promise<string[]> {
    return (await this.#collection.find({ 'app.clientId': clientId }).toArray()).map(({ _id }) => _id);
  }

  async endAll(userId: number, session: ClientSession): Promise<void> {
    const grants = await this.#collection.find({ userId }, { session }).toArray();
    const ids = grants.map(({ _id }) => _id);
    await this.endMany(ids, session);
  }

  async setSuspended(userIds: number[], suspendedAt: Date | null, session: ClientSession): Promise<void> {
    await this.#collection.updateMany({ userId: { $in: userIds } }, { $set: { suspendedAt } }, { session });
  }
}
