/**
 * Where the authorization server's library keeps its things: in our stores, under hashes. It keeps no session of its own:
 * the account page's session says who the user is, each time.
 */
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { Models } from '../../models/index.ts';
import type { OAuthTokenKind, OAuthTokenRecord } from '../../models/oauth/tokens.ts';
import { hashToken } from '../../models/support/token.ts';
import type { Clock } from '../../routers/ports.ts';
import { oauthPaths } from './paths.ts';

interface AdapterParts {
  models: Models;
  clock: Clock;
  /** The name of the API among the resources of a grant. */
  resource: string;
  /** Thrown when a code is exchanged a second time. */
  codeUsed: () => Error;
}

/** After a refresh, a second one with the same token still succeeds: two processes of one app refresh at the same moment. */
const refreshGraceMs = 30_000;

const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

export function createAdapter(parts: AdapterParts): AdapterFactory {
  const adapters: Record<string, Adapter> = {
    AuthorizationCode: { ...tokens('AuthorizationCode', parts), consume: consumeCode(parts) },
    AccessToken: tokens('AccessToken', parts),
    RefreshToken: tokens('RefreshToken', parts),
    Grant: grants(parts),
    Client: clients(parts),
    Interaction: requests(parts),
  };
  return (name) => adapters[name] ?? nothing;
}

function tokens(kind: OAuthTokenKind, { models, clock }: AdapterParts): Adapter {
  const { oauthClients, oauthTokens } = models;
  const now = () => new Date(clock());
  return {
    ...nothing,
    async upsert(token, { jti: _, ...payload }, expiresIn = 0) {
      const { grantId = '', accountId, scope = '', clientId = '' } = payload;
      await oauthTokens.add(token, {
        kind,
        grantId,
        userId: Number(accountId),
        scopes: scope.split(' ').filter(Boolean),
        payload: JSON.stringify(payload),
        expiresAt: new Date(clock() + expiresIn * 1000),
      });
      if (kind === 'AccessToken') await oauthClients.touch(clientId, now());
    },
    async find(token) {
      const found = await oauthTokens.find(kind, token, now());
      return found ? present(found, token, clock()) : undefined;
    },
    consume: async (token) => void (await oauthTokens.consume(token, now())),
    destroy: (token) => oauthTokens.remove(token),
    revokeByGrantId: (grantId) => oauthTokens.removeOfGrant(grantId),
  };
}

function present({ kind, payload, consumedAt, expiresAt }: OAuthTokenRecord, jti: string, nowMs: number) {
  const graceMs = kind === 'RefreshToken' ? refreshGraceMs : 0;
  const isConsumed = consumedAt !== null && nowMs - consumedAt.getTime() >= graceMs;
  return {
    ...(JSON.parse(payload) as AdapterPayload), // as `upsert` stored it
    jti,
    // By our clock, which decided above that it has not expired.
    exp: Math.floor((Date.now() + expiresAt.getTime() - nowMs) / 1000) + 1,
    ...(isConsumed && { consumed: epochSeconds(consumedAt) }),
  };
}

const epochSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

/** Of two exchanges at once, one finds the code used. */
function consumeCode({ models, clock, codeUsed }: AdapterParts): Adapter['consume'] {
  return async (code) => {
    if (await models.oauthTokens.consume(code, new Date(clock()))) return;
    const used = await models.oauthTokens.find('AuthorizationCode', code, new Date(clock()));
    if (used) await models.oauthGrants.end(used.grantId);
    throw codeUsed();
  };
}

function grants({ models, clock, resource }: AdapterParts): Adapter {
  return {
    ...nothing,
    async find(id) {
      const grant = await models.oauthGrants.find(id, new Date(clock()));
      if (!grant) return undefined;
      const { userId, app, scopes, refusedScopes, createdAt } = grant;
      return {
        ...{ jti: id, kind: 'Grant', accountId: String(userId), clientId: app.clientId },
        resources: { [resource]: scopes.join(' ') },
        rejected: { resources: { [resource]: refusedScopes.join(' ') } },
        ...{ iat: epochSeconds(createdAt), exp: epochSeconds(new Date()) + 60 },
      } as AdapterPayload; // its type does not name what grants have
    },
    destroy: async (id) => void (await models.oauthGrants.end(id)),
  };
}

function clients({ models: { oauthClients }, clock }: AdapterParts): Adapter {
  return {
    ...nothing,
    async upsert(id, { client_secret: secret, ...metadata }) {
      const stored = secret === undefined ? metadata : { ...metadata, client_secret: hashToken(secret) };
      await oauthClients.add(id, JSON.stringify(stored), new Date(clock()));
    },
    async find(id) {
      const metadata = await oauthClients.find(id, new Date(clock()));
      return metadata === null ? undefined : JSON.parse(metadata);
    },
    destroy: (id) => oauthClients.remove(id),
  };
}

function requests({ models: { oauthRequests }, clock }: AdapterParts): Adapter {
  return {
    ...nothing,
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
    destroy: (id) => oauthRequests.remove(id),
  };
}

const resultOf = ({ userId, grantId }: { userId: number; grantId: string | null }) =>
  grantId === null
    ? { error: 'access_denied', error_description: 'The user denied access' }
    : { login: { accountId: String(userId), remember: false }, consent: { grantId } };
