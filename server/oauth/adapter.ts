/**
 * Lets the authorization server's library store clients, requests, grants and tokens in our stores, under hashes. We store no
 * session of the library: the account page's session identifies the user.
 */
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { Models } from '../../models/index.ts';
import type { OAuthGrantRecord } from '../../models/oauth/grants.ts';
import type { OAuthTokenKind, OAuthTokenRecord } from '../../models/oauth/tokens.ts';
import { hourSeconds } from '../../models/support/durations.ts';
import { hashToken } from '../../models/support/secrets.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Limiter } from '../limit/limiter.ts';
import { oauthPaths } from './documents.ts';

export interface AdapterDeps {
  models: Models;
  clock: Clock;
  limiter: Limiter;
  resource: string;
  scopes: readonly string[];
  codeUsed: () => Error;
  audit: AuditGrant;
  isRevocation: () => boolean;
}

export type AuditGrant = (
  event: 'renewed' | 'ended' | 'replayed',
  grant: Pick<OAuthGrantRecord, '_id' | 'userId' | 'app'>,
) => Promise<void>;

type AdapterPart = Partial<Adapter>;

const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

export function createAdapter(deps: AdapterDeps): AdapterFactory {
  const parts: Record<string, AdapterPart> = {
    AuthorizationCode: { ...createTokenAdapter('AuthorizationCode', deps), consume: consumeCode(deps) },
    AccessToken: createTokenAdapter('AccessToken', deps),
    RefreshToken: { ...createTokenAdapter('RefreshToken', deps), find: findRefreshToken(deps) },
    Grant: createGrantAdapter(deps),
    Client: createClientAdapter(deps),
    Interaction: createRequestAdapter(deps),
    ReplayDetection: createAssertionAdapter(deps),
  };
  return (name) => ({ ...nothing, ...parts[name] });
}

function createTokenAdapter(
  kind: OAuthTokenKind,
  { models, clock, audit, scopes: grantable }: AdapterDeps,
): AdapterPart {
  const { oauthClients, oauthGrants, oauthTokens } = models;
  const now = () => new Date(clock());
  return {
    async upsert(token, { jti: _, ...payload }, expiresIn = 0) {
      const { grantId = '', accountId, scope = '', clientId = '', rotations } = payload;
      const scopes = scope.split(' ').filter(Boolean);
      const grant = await oauthGrants.find(grantId, now());
      const newToken = {
        kind,
        grantId,
        userId: Number(accountId),
        scopes,
        ...(kind === 'AccessToken' && {
          isNarrowed: grant?.scopes.some((each) => !scopes.includes(each)) ?? true,
        }),
        payload: JSON.stringify(payload),
        expiresAt: new Date(clock() + expiresIn * 1000),
        ...(typeof rotations === 'number' && { renewals: rotations }),
      };
      await oauthTokens.add(token, newToken, now());
      if (grant && newToken.renewals) await audit('renewed', grant);
      if (kind === 'AccessToken') await oauthClients.touch(clientId, now());
    },
    async find(token) {
      const found = await oauthTokens.find(kind, token, now());
      return found ? toAdapterPayload(found, { value: token, nowMs: clock(), grantable }) : undefined;
    },
    consume: async (token) => void (await oauthTokens.consume(token, now())),
    destroy: (token) => oauthTokens.delete(token),
    revokeByGrantId: (grantId) => oauthTokens.deleteOfGrant(grantId),
  };
}

/**
 * An app may use an assertion once. The library calls `find` with its id before it accepts the assertion. Ids are stored for
 * an hour, because most assertions expire sooner.
 */
function createAssertionAdapter({ limiter }: AdapterDeps): AdapterPart {
  const window = { name: 'oauth:assertion', max: 1, seconds: hourSeconds };
  return {
    find: async (jti) => ((await limiter.consume(window, jti, 1)).fits ? undefined : { jti }),
  };
}

function findRefreshToken({ models, clock, audit, scopes }: AdapterDeps): Adapter['find'] {
  return async (value) => {
    const { token, replayed } = await models.oauthTokens.findRefreshToken(value, new Date(clock()));
    if (replayed) await endReplayed(replayed._id, { models, audit });
    return token ? toAdapterPayload(token, { value, nowMs: clock(), grantable: scopes }) : undefined;
  };
}

function toAdapterPayload(
  { kind, payload, consumedAt, expiresAt }: OAuthTokenRecord,
  { value, nowMs, grantable }: { value: string; nowMs: number; grantable: readonly string[] },
) {
  const isConsumed = kind !== 'RefreshToken' && consumedAt !== null;
  return {
    ...(JSON.parse(payload) as AdapterPayload), // as `upsert` stored it
    jti: value,
    // Not the scopes that the app requested: a code or refresh token gives all scopes of its grant.
    ...(kind !== 'AccessToken' && { scope: grantable.join(' ') }),
    // The token has not expired by our clock. The library reads the system's clock, so the expiry is converted to that.
    exp: Math.floor((Date.now() + expiresAt.getTime() - nowMs) / 1000) + 1,
    ...(isConsumed && { consumed: epochSeconds(consumedAt) }),
  };
}

const epochSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

/** If two requests exchange a code at the same time, one of them finds that it is used. */
function consumeCode({ models, clock, codeUsed, audit }: AdapterDeps): Adapter['consume'] {
  return async (code) => {
    if (await models.oauthTokens.consume(code, new Date(clock()))) return;
    const used = await models.oauthTokens.find('AuthorizationCode', code, new Date(clock()));
    if (used) await endReplayed(used.grantId, { models, audit });
    throw codeUsed();
  };
}

/** A code or token that is used twice may have been stolen. */
async function endReplayed(grantId: string, { models, audit }: Pick<AdapterDeps, 'models' | 'audit'>) {
  const [grant] = await models.credentials.endGrants([grantId], 'replayed');
  if (grant) await audit('replayed', grant);
}

function createGrantAdapter({ models, clock, resource, audit, isRevocation }: AdapterDeps): AdapterPart {
  return {
    async find(id) {
      const grant = await models.oauthGrants.find(id, new Date(clock()));
      if (!grant) return undefined;
      const { userId, app, scopes, refusedScopes, createdAt } = grant;
      return {
        jti: id,
        kind: 'Grant',
        accountId: String(userId),
        clientId: app.clientId,
        resources: { [resource]: scopes.join(' ') },
        rejected: { resources: { [resource]: refusedScopes.join(' ') } },
        iat: epochSeconds(createdAt),
        exp: epochSeconds(new Date()) + 60,
      } as AdapterPayload; // the library's type lacks the fields of grants
    },
    async destroy(id) {
      // The library destroys a grant for two reasons: the app revoked it, or a code was used twice.
      if (!isRevocation()) return endReplayed(id, { models, audit });
      const [grant] = await models.credentials.endGrants([id], 'ended');
      if (grant) await audit('ended', grant);
    },
  };
}

function createClientAdapter({ models: { oauthClients }, clock }: AdapterDeps): AdapterPart {
  return {
    async upsert(id, { client_secret: secret, ...metadata }) {
      const stored = secret === undefined ? metadata : { ...metadata, client_secret: hashToken(secret) };
      await oauthClients.add(id, JSON.stringify(stored), new Date(clock()));
    },
    async find(id) {
      const metadata = await oauthClients.find(id, new Date(clock()));
      return metadata === null ? undefined : JSON.parse(metadata);
    },
    destroy: (id) => oauthClients.delete(id),
  };
}

function createRequestAdapter({ models: { oauthRequests }, clock }: AdapterDeps): AdapterPart {
  return {
    async upsert(id, { jti: _, returnTo: __, session: ___, result: ____, ...payload }, expiresIn = 0) {
      const expiresAt = new Date(clock() + expiresIn * 1000);
      await oauthRequests.put(id, { payload: JSON.stringify(payload), expiresAt });
    },
    async find(id) {
      const request = await oauthRequests.find(id, new Date(clock()));
      if (!request) return undefined;
      const { payload, answer } = request;
      return {
        ...JSON.parse(payload),
        jti: id,
        returnTo: `${oauthPaths.authorize}/${id}`,
        exp: epochSeconds(new Date()) + 60,
        result: answer && resultOf(answer),
      };
    },
    destroy: (id) => oauthRequests.delete(id),
  };
}

const resultOf = ({ userId, grantId }: { userId: number; grantId: string | null }) =>
  grantId === null
    ? { error: 'access_denied', error_description: 'The user denied access' }
    : { login: { accountId: String(userId), remember: false }, consent: { grantId } };
