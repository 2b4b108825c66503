/**
 * Codes, access tokens and refresh tokens of apps, each stored under its hash. A token is valid only while its grant is. One
 * query reads both, so a revocation takes effect at the next call in every process.
 */
import type { ClientSession, Connection, mongo } from 'mongoose';
import { refreshTokensMax } from '../bounds.ts';
import { createKeyBatcher } from '../support/batcher.ts';
import { defineCollection, defineSchema, type RecordOf } from '../support/collection.ts';
import { aggregateSingleBatch } from '../support/reads.ts';
import { generateToken, hashToken } from '../support/secrets.ts';
import type { OAuthGrantRecord, OAuthGrants } from './grants.ts';

const kinds = ['AuthorizationCode', 'AccessToken', 'RefreshToken'] as const;
export type OAuthTokenKind = (typeof kinds)[number];

const tokenSchema = defineSchema({
  /** SHA-256 of the token. */
  _id: { type: String, required: true },
  kind: { type: String, enum: kinds, required: true },
  grantId: { type: String, required: true },
  userId: { type: Number, required: true },
  scopes: { type: [String], required: true },
  /** True if the app requested fewer scopes than the grant allowed. Other tokens have the scopes that the grant allows now. */
  isNarrowed: { type: Boolean, allowNull: false },
  /** The authorization server's data as JSON, without the token. */
  payload: { type: String, required: true },
  /** How many refresh tokens came before this one. */
  renewals: { type: Number, allowNull: false },
  createdAt: { type: Date, required: true },
  consumedAt: { type: Date, default: null },
  expiresAt: { type: Date, required: true },
})
  .index({ grantId: 1 })
  .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export type OAuthTokenRecord = RecordOf<typeof tokenSchema>;

type NewOAuthToken = Omit<OAuthTokenRecord, '_id' | 'createdAt' | 'consumedAt'>;

/** Either a usable token, or the live grant of a token that was replaced: someone else may have that token, too. */
type RefreshVerdict =
  | { token: OAuthTokenRecord; replayed: null }
  | { token: null; replayed: OAuthGrantRecord | null };

/** `grant` is set whenever the token belongs to a grant, even if the token is refused. */
type TokenVerdict =
  | { scopes: string[]; grant: OAuthGrantRecord; refusal: null }
  | { scopes: null; grant: OAuthGrantRecord | null; refusal: 'token_unknown' | 'token_suspended' };

type Found = OAuthTokenRecord & { grants: OAuthGrantRecord[] };

const unknownToken: TokenVerdict = { scopes: null, grant: null, refusal: 'token_unknown' };

/** For this long after a renewal, a second renewal with the same token succeeds: an app's processes may renew at once. */
const renewalGraceMs = 30_000;

export class OAuthTokens {
  readonly #collection: mongo.Collection<OAuthTokenRecord>;
  readonly #grants: OAuthGrants;
  readonly #findWithGrant;

  constructor(connection: Connection, grants: OAuthGrants) {
    this.#collection = defineCollection(connection, 'oauth_tokens', tokenSchema);
    this.#grants = grants;
    const $lookup = { from: 'oauth_grants', localField: 'grantId', foreignField: '_id', as: 'grants' };
    const $project = { kind: 1, grantId: 1, userId: 1, scopes: 1, isNarrowed: 1, expiresAt: 1 };
    this.#findWithGrant = createKeyBatcher(
      (ids: string[]) => {
        const pipeline = [{ $match: { _id: { $in: ids } } }, { $project }, { $lookup }];
        return aggregateSingleBatch<Found>(connection, {
          aggregate: 'oauth_tokens',
          pipeline,
          limit: ids.length,
        });
      },
      ({ _id }) => _id,
    );
  }

  async createRefreshToken(grantId: string): Promise<string> {
    const family = await this.#grants.chooseFamily(grantId);
    if (family === null) throw new Error('Cannot create a refresh token: its grant has ended');
    return generateRefreshToken({ grantId, family });
  }

  /** Also extends the token's grant, and deletes the oldest refresh tokens, so that their number stays bounded. */
  async add(token: string, newToken: NewOAuthToken, now: Date): Promise<void> {
    await this.#collection.insertOne({
      ...newToken,
      _id: hashToken(token),
      createdAt: new Date(),
      consumedAt: null,
    });
    if (newToken.kind === 'RefreshToken') {
      await this.#grants.recordRenewal(newToken.grantId, newToken.renewals ?? 0, now);
      await this.#deleteOldest({ grantId: newToken.grantId, consumedAt: null }, 'createdAt');
      await this.#deleteOldest({ grantId: newToken.grantId, consumedAt: { $ne: null } }, 'consumedAt');
    }
    if (newToken.kind !== 'AuthorizationCode')
      await this.#grants.keepUntil(newToken.grantId, newToken.expiresAt);
  }

  async #deleteOldest(filter: mongo.Filter<OAuthTokenRecord>, by: 'createdAt' | 'consumedAt'): Promise<void> {
    const options = { projection: { _id: 1 }, sort: { [by]: -1 }, skip: refreshTokensMax } as const;
    // Skipping is cheap, because hardly more than `refreshTokensMax` are ever stored.
    const oldest = await this.#collection.find({ ...filter, kind: 'RefreshToken' }, options).toArray();
    if (oldest.length > 0) await this.#collection.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
  }

  /** Resolves to null for an expired token: MongoDB removes expired documents only once a minute. */
  async find(kind: OAuthTokenKind, token: string, now: Date): Promise<OAuthTokenRecord | null> {
    const found = await this.#collection.findOne({ _id: hashToken(token) });
    return found && found.kind === kind && found.expiresAt > now ? found : null;
  }

  /** Until 30 seconds after its replacement, a token can be used again. Later, a live grant's token counts as replayed. */
  async findRefreshToken(token: string, now: Date): Promise<RefreshVerdict> {
    const found = await this.find('RefreshToken', token, now);
    const origin = originOf(token);
    const grantId = found?.grantId ?? origin?.grantId;
    const grant = grantId === undefined ? null : await this.#grants.find(grantId, now);
    if (!grant) return { token: null, replayed: null };
    if (found)
      return isReplaced(found, grant, now)
        ? { token: null, replayed: grant }
        : { token: found, replayed: null };
    return { token: null, replayed: origin?.family === grant.family ? grant : null };
  }

  async consume(token: string, now: Date): Promise<boolean> {
    const unused = { _id: hashToken(token), consumedAt: null };
    const { matchedCount } = await this.#collection.updateOne(unused, { $set: { consumedAt: now } });
    return matchedCount === 1;
  }

  async delete(token: string): Promise<void> {
    await this.#collection.deleteOne({ _id: hashToken(token) });
  }

  async deleteOfGrant(grantId: string): Promise<void> {
    await this.#collection.deleteMany({ grantId });
  }

  /** Ends the grants of access and refresh tokens among these strings, stored or not. All strings share the same queries. */
  async endLeaked(strings: readonly string[], session: ClientSession): Promise<OAuthGrantRecord[]> {
    const leaked = { _id: { $in: strings.map(hashToken) }, kind: { $ne: 'AuthorizationCode' as const } };
    const tokens = await this.#collection.find(leaked, { session }).toArray();
    const origins = strings.flatMap((each) => originOf(each) ?? []);
    const grantIds = origins.map(({ grantId }) => grantId);
    const proven = (await this.#grants.findMany(grantIds, session)).filter((grant) =>
      origins.some(({ grantId, family }) => grantId === grant._id && family === grant.family),
    );
    const ids = [...tokens.map(({ grantId }) => grantId), ...proven.map(({ _id }) => _id)];
    return this.#grants.endMany([...new Set(ids)], session);
  }

  async verify(token: string, now: Date): Promise<TokenVerdict> {
    const found = await this.#findWithGrant(hashToken(token));
    const grant = found?.grants[0];
    if (!found || !grant || found.kind !== 'AccessToken') return unknownToken;
    if (found.expiresAt <= now || grant.endsAt <= now) return { ...unknownToken, grant };
    if (grant.suspendedAt) return { scopes: null, grant, refusal: 'token_suspended' };
    const { scopes, isNarrowed } = found;
    const left = isNarrowed ? grant.scopes.filter((scope) => scopes.includes(scope)) : grant.scopes;
    return { scopes: left, grant, refusal: null };
  }
}

function isReplaced(
  { renewals = 0, consumedAt }: OAuthTokenRecord,
  { renewals: newest = 0, renewedAt = new Date(0) }: OAuthGrantRecord,
  now: Date,
): boolean {
  const isLate = (replacedAt: Date) => now.getTime() - replacedAt.getTime() >= renewalGraceMs;
  if (consumedAt && isLate(consumedAt)) return true;
  return renewals < newest - 1 || (renewals === newest - 1 && isLate(renewedAt));
}

/**
 * The format of the tokens that apps receive. Their prefixes let secret scanners recognize them, and distinguish them from
 * keys. A refresh token also contains the id of its grant and the grant's family. The family proves that the token belongs to
 * the grant, because only refresh tokens contain it. So a token that is no longer stored is recognized while the grant lives.
 */
export const accessTokenMarker = 'gamehost_app_';
const refreshTokenMarker = 'gamehost_refresh_';

const refreshTokenPattern = /^gamehost_refresh_([\w-]{22})([\w-]{43})[\w-]{43}$/;

interface RefreshTokenOrigin {
  grantId: string;
  family: string;
}

const generateRefreshToken = ({ grantId, family }: RefreshTokenOrigin): string =>
  refreshTokenMarker + toBase64(grantId) + family + generateToken();

function originOf(refreshToken: string): RefreshTokenOrigin | null {
  const [, grant, family] = refreshTokenPattern.exec(refreshToken) ?? [];
  return grant && family ? { grantId: toUuid(grant), family } : null;
}

const toBase64 = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');

const toUuid = (base64: string) =>
  Buffer.from(base64, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
