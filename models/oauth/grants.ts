/**
 * Grants: what a user allowed an app to do, one for each authorization. A grant ends when it is revoked, when its app stops
 * renewing its tokens, and after 180 days; its tokens are refused from the next call on.
 */
import { randomUUID } from 'node:crypto';
import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { ApiKeyQuota } from '../api-key/quota.ts';
import { grantsMax } from '../bounds.ts';
import { dayMs, minuteMs } from '../support/durations.ts';
import { createLoader } from '../support/reads.ts';
import { generateToken } from '../support/secrets.ts';
import { createUseRecorder } from '../support/writes.ts';
import type { Users } from '../user.ts';

/** An app as its user sees it. */
export interface OAuthApp {
  clientId: string;
  name: string;
  /** The host that published the app's metadata document; null for an app that named itself at its registration. */
  verifiedHost: string | null;
}

export interface OAuthGrantRecord {
  _id: string;
  userId: number;
  app: OAuthApp;
  scopes: string[];
  /** Requested by the app and not granted. */
  refusedScopes: string[];
  createdAt: Date;
  /** Accurate to the minute; null: never used. */
  lastUsedAt: Date | null;
  /** Set while the user is suspended, so that verifying a token reads no user. */
  suspendedAt: Date | null;
  /** When it ends unless the app renews its tokens; at most `endsAt`. */
  expiresAt: Date;
  endsAt: Date;
  /** In all of its refresh tokens; absent until the first is made. It opens nothing. */
  family?: string;
  /** How often its newest refresh token was renewed, and since when there is one; absent before the first renewal. */
  renewals?: number;
  renewedAt?: Date;
}

type NewOAuthGrant = Pick<OAuthGrantRecord, 'userId' | 'app' | 'scopes' | 'refusedScopes'>;

/** Stores what belongs to a new grant together with it. */
type RecordGrant = (grant: OAuthGrantRecord, transaction: ClientSession) => Promise<void>;

const lifetimeMs = 180 * dayMs;
/** Until the app has exchanged its code. */
const firstExpiryMs = 10 * minuteMs;

const grantSchema = new Schema<OAuthGrantRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  app: {
    type: {
      clientId: { type: String, required: true },
      name: { type: String, required: true },
      verifiedHost: { type: String, default: null },
    },
    _id: false,
    required: true,
  },
  scopes: { type: [String], required: true },
  refusedScopes: { type: [String], required: true },
  createdAt: { type: Date, required: true },
  lastUsedAt: { type: Date, default: null },
  suspendedAt: { type: Date, default: null },
  expiresAt: { type: Date, required: true, expires: 0 },
  endsAt: { type: Date, required: true },
  family: { type: String },
  renewals: { type: Number },
  renewedAt: { type: Date },
});
grantSchema.index({ userId: 1, createdAt: -1 });
grantSchema.index({ 'app.clientId': 1 });

export class OAuthGrants {
  readonly #model;
  readonly #tokens;
  readonly #users: Users;
  readonly #quota: ApiKeyQuota;
  readonly #findById;
  readonly #recordUse;

  constructor(connection: Connection, { users, apiKeyQuota }: { users: Users; apiKeyQuota: ApiKeyQuota }) {
    const model = connection.model('OAuthGrant', grantSchema, 'oauth_grants');
    this.#model = model;
    this.#tokens = connection.collection('oauth_tokens');
    this.#users = users;
    this.#quota = apiKeyQuota;
    this.#findById = createLoader<OAuthGrantRecord, string>({
      connection,
      collection: 'oauth_grants',
      field: '_id',
    });
    this.#recordUse = createUseRecorder(connection.collection('oauth_grants'), 'lastUsedAt');
  }

  /** Adds a grant; null when the user has `grantsMax`, which holds for concurrent calls too. */
  add(newGrant: NewOAuthGrant, now: Date, record?: RecordGrant): Promise<OAuthGrantRecord | null> {
    return this.#model.db.transaction(async (session) => {
      await this.#quota.lock([newGrant.userId], session);
      const { userId } = newGrant;
      const count = await this.#model.countDocuments({ userId, expiresAt: { $gt: now } }, { session });
      if (count >= grantsMax) return null;
      const grant = new this.#model({
        ...newGrant,
        _id: randomUUID(),
        createdAt: now,
        suspendedAt: (await this.#users.isActive(userId, session)) ? null : now,
        expiresAt: new Date(now.getTime() + firstExpiryMs),
        endsAt: new Date(now.getTime() + lifetimeMs),
      });
      await grant.save({ session });
      await record?.(grant.toObject(), session);
      return grant.toObject();
    });
  }

  /** Null when it has ended. */
  async find(id: string, now: Date): Promise<OAuthGrantRecord | null> {
    const grant = await this.#findById(id);
    return grant && grant.expiresAt > now ? grant : null;
  }

  /** Those of them that there are, also those that have ended a moment ago. */
  findMany(ids: readonly string[], session: ClientSession): Promise<OAuthGrantRecord[]> {
    return this.#model
      .find({ _id: { $in: [...ids] } }, null, { session })
      .lean()
      .exec();
  }

  /** A user's grants, newest first. */
  list(userId: number, now: Date): Promise<OAuthGrantRecord[]> {
    return this.#model
      .find({ userId, expiresAt: { $gt: now } })
      .sort({ createdAt: -1 })
      .lean()
      .exec();
  }

  /** Grants of all users, by user. */
  listAll(limit: number, now: Date): Promise<OAuthGrantRecord[]> {
    return this.#model
      .find({ userId: { $gte: 0 }, expiresAt: { $gt: now } })
      .sort({ userId: 1, createdAt: -1 })
      .limit(limit)
      .lean()
      .exec();
  }

  /** Changes what a grant of the user allows; false where there is none. */
  async setScopes({ id, userId, scopes }: { id: string; userId: number; scopes: string[] }, now: Date) {
    const own = { _id: id, userId, expiresAt: { $gt: now } };
    return (await this.#model.updateOne(own, { $set: { scopes } })).matchedCount > 0;
  }

  /** Keeps a grant until a token of it expires, but not beyond its end. */
  async keepUntil(id: string, expiresAt: Date): Promise<void> {
    const expiry = { expiresAt: { $min: ['$endsAt', { $max: ['$expiresAt', expiresAt] }] } };
    await this.#model.collection.updateOne({ _id: id as never }, [{ $set: expiry }]);
  }

  /** The family of a grant's refresh tokens, chosen when the first is made; null when it has ended. */
  async chooseFamily(id: string): Promise<string | null> {
    const none = { _id: id, family: { $exists: false } };
    const options = { returnDocument: 'after', projection: { family: 1 } } as const;
    const chosen = await this.#model.findOneAndUpdate(none, { $set: { family: generateToken() } }, options);
    const grant = chosen ?? (await this.#model.findById(id, { family: 1 }));
    return grant?.family ?? null;
  }

  /** Counts a renewal of its refresh token; of renewals at once, one counts. */
  async renew(id: string, renewals: number, now: Date): Promise<void> {
    const older = { _id: id, renewals: { $not: { $gte: renewals } } };
    await this.#model.updateOne(older, { $set: { renewals, renewedAt: now } });
  }

  /** Records the use of a grant, soon or not at all. */
  touch({ _id, lastUsedAt }: Pick<OAuthGrantRecord, '_id' | 'lastUsedAt'>, now: Date): void {
    this.#recordUse(_id, lastUsedAt, now);
  }

  /** Ends these grants with their tokens; resolves to them. */
  async endMany(
    ids: readonly string[],
    options: { session?: ClientSession } = {},
  ): Promise<OAuthGrantRecord[]> {
    if (ids.length === 0) return [];
    const these = { $in: [...ids] };
    const grants = await this.#model.find({ _id: these }, null, options).lean();
    await this.#model.deleteMany({ _id: these }, options);
    await this.#tokens.deleteMany({ grantId: these }, options);
    return grants;
  }

  /** The ids of all grants of an app. */
  async listOfClient(clientId: string): Promise<string[]> {
    const grants = await this.#model.find({ 'app.clientId': clientId }, { _id: 1 }).lean();
    return grants.map(({ _id }) => _id);
  }

  /** Ends all grants of a user who is being deleted. */
  async endAll(userId: number, transaction: ClientSession): Promise<void> {
    const grants = await this.#model.find({ userId }, { _id: 1 }).session(transaction).lean();
    await this.endMany(
      grants.map(({ _id }) => _id),
      { session: transaction },
    );
  }

  /** Suspends the grants of users, or resumes them with null. */
  async setSuspended(userIds: number[], suspendedAt: Date | null, transaction: ClientSession): Promise<void> {
    await this.#model.updateMany(
      { userId: { $in: userIds } },
      { $set: { suspendedAt } },
      { session: transaction },
    );
  }
}
