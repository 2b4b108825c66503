/**
 * Codes, access tokens and refresh tokens of apps, each stored under its hash. A token counts only while its grant does:
 * both are read in one query, so that a revocation takes effect at the next call in every process.
 */
import { type Connection, type QueryFilter, Schema } from 'mongoose';
import { createKeyBatcher } from '../support/batcher.ts';
import { aggregateSingleBatch } from '../support/find-single-batch.ts';
import { hashToken } from '../support/token.ts';
import type { OAuthGrantRecord, OAuthGrants } from './grants.ts';

export type OAuthTokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken';

export interface OAuthTokenRecord {
  /** SHA-256 of the token. */
  _id: string;
  kind: OAuthTokenKind;
  grantId: string;
  userId: number;
  scopes: string[];
  /** What the authorization server keeps of it, as JSON without the token. */
  payload: string;
  createdAt: Date;
  consumedAt: Date | null;
  expiresAt: Date;
}

export type NewOAuthToken = Omit<OAuthTokenRecord, '_id' | 'createdAt' | 'consumedAt'>;

/** A valid access token with its grant, or why it is refused; `grant` is set whenever the token belongs to one. */
export type TokenVerdict =
  | { token: OAuthTokenRecord; grant: OAuthGrantRecord; refusal: null }
  | { token: null; grant: OAuthGrantRecord | null; refusal: 'token_unknown' | 'token_suspended' };

type Found = OAuthTokenRecord & { grants: OAuthGrantRecord[] };

const unknown: TokenVerdict = { token: null, grant: null, refusal: 'token_unknown' };

const tokenSchema = new Schema<OAuthTokenRecord>({
  _id: { type: String, required: true },
  kind: { type: String, required: true },
  grantId: { type: String, required: true, index: true },
  userId: { type: Number, required: true },
  scopes: { type: [String], required: true },
  payload: { type: String, required: true },
  createdAt: { type: Date, default: () => new Date() },
  consumedAt: { type: Date, default: null },
  expiresAt: { type: Date, required: true, expires: 0 },
});

/**
 * Refresh tokens of one grant: used ones, whose second use ends the grant, and unused ones, of which processes of an app that
 * renew at once get several. An older one is refused when it is used.
 */
const refreshTokensMax = 20;

export class OAuthTokens {
  readonly #model;
  readonly #grants: OAuthGrants;
  readonly #findWithGrant;

  constructor(connection: Connection, grants: OAuthGrants) {
    this.#model = connection.model('OAuthToken', tokenSchema, 'oauth_tokens');
    this.#grants = grants;
    const withGrant = {
      $lookup: { from: 'oauth_grants', localField: 'grantId', foreignField: '_id', as: 'grants' },
    };
    this.#findWithGrant = createKeyBatcher(
      (ids: string[]) =>
        aggregateSingleBatch<Found>(connection, {
          aggregate: 'oauth_tokens',
          pipeline: [
            { $match: { _id: { $in: ids } } },
            { $project: { kind: 1, grantId: 1, userId: 1, scopes: 1, expiresAt: 1 } },
            withGrant,
          ],
          limit: ids.length,
        }),
      ({ _id }) => _id,
    );
  }

  /** Stores a token and keeps its grant as long. However often an app renews its tokens, what is stored stays bounded. */
  async add(token: string, newToken: NewOAuthToken): Promise<void> {
    await this.#model.create({ ...newToken, _id: hashToken(token) });
    if (newToken.kind === 'RefreshToken') {
      await this.#removeOldest({ grantId: newToken.grantId, consumedAt: null }, 'createdAt');
      await this.#removeOldest({ grantId: newToken.grantId, consumedAt: { $ne: null } }, 'consumedAt');
    }
    if (newToken.kind !== 'AuthorizationCode')
      await this.#grants.keepUntil(newToken.grantId, newToken.expiresAt);
  }

  async #removeOldest(
    filter: Pick<QueryFilter<OAuthTokenRecord>, 'grantId' | 'consumedAt'>,
    by: 'createdAt' | 'consumedAt',
  ): Promise<void> {
    const ofGrant = { ...filter, kind: 'RefreshToken' as const };
    const newestFirst = this.#model.find(ofGrant, { _id: 1 }).sort({ [by]: -1 });
    const oldest = await newestFirst.skip(refreshTokensMax).lean(); // skips twenty; hardly more are ever stored
    if (oldest.length > 0) await this.#model.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
  }

  /** Null when it has expired, as MongoDB removes expired documents only once a minute. */
  async find(kind: OAuthTokenKind, token: string, now: Date): Promise<OAuthTokenRecord | null> {
    const found = await this.#model.findById(hashToken(token)).lean();
    return found && found.kind === kind && found.expiresAt > now ? found : null;
  }

  /** Marks a token as used; false when it had been used before. */
  async consume(token: string, now: Date): Promise<boolean> {
    const unused = { _id: hashToken(token), consumedAt: null };
    const { matchedCount } = await this.#model.updateOne(unused, { $set: { consumedAt: now } });
    return matchedCount === 1;
  }

  async remove(token: string): Promise<void> {
    await this.#model.deleteOne({ _id: hashToken(token) });
  }

  async removeOfGrant(grantId: string): Promise<void> {
    await this.#model.deleteMany({ grantId });
  }

  /** Verifies an access token from a request. */
  async verify(token: string, now: Date): Promise<TokenVerdict> {
    const found = await this.#findWithGrant(hashToken(token));
    const grant = found?.grants[0];
    if (!found || !grant || found.kind !== 'AccessToken') return unknown;
    if (found.expiresAt <= now || grant.endsAt <= now) return { ...unknown, grant };
    if (grant.suspendedAt) return { token: null, grant, refusal: 'token_suspended' };
    return { token: found, grant, refusal: null };
  }
}
