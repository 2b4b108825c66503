/**
 * The authorization server's library, set up for apps: authorization code with PKCE, refresh tokens that rotate, opaque
 * tokens of one resource. Loaded when an app first needs it, as that takes half a second.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { Configuration, errors as Errors, Provider } from 'oidc-provider';
import type { Models } from '../../models/index.ts';
import { accessTokenMarker, refreshTokenMarker } from '../../models/oauth/format.ts';
import { hashToken } from '../../models/support/token.ts';
import type { Clock } from '../../routers/ports.ts';
import { accountPrefix } from '../account/account.ts';
import type { Log } from '../observability/log.ts';
import { createAdapter } from './adapter.ts';
import { describeQuestion } from './describe-question.ts';
import { respondErrorPage } from './error-page.ts';
import { createFetchDocument, type Fetch, fetchPublic } from './fetch-document.ts';
import { oauthPaths } from './paths.ts';
import { isPublicUrl } from './public-address.ts';

export interface ProviderParts {
  issuer: string;
  models: Models;
  clock: Clock;
  log: Log;
  /** The scopes that a user may grant. */
  scopes: readonly string[];
  /** Null: documents are fetched from public addresses only. */
  fetchDocument: Fetch | null;
}

const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;
const daySeconds = 24 * hourSeconds;

/** Of grants, see `models/oauth/grants.ts`. */
const ttl = {
  AccessToken: hourSeconds,
  AuthorizationCode: minuteSeconds,
  Grant: 180 * daySeconds,
  IdToken: hourSeconds,
  Interaction: 10 * minuteSeconds,
  RefreshToken: 30 * daySeconds,
  Session: 10 * minuteSeconds,
};

export async function loadProvider(parts: ProviderParts): Promise<Provider> {
  const { Provider, errors } = await importQuietly();
  const provider = new Provider(parts.issuer, configure(parts, errors));
  markTokens(provider.AccessToken.prototype, accessTokenMarker);
  markTokens(provider.RefreshToken.prototype, refreshTokenMarker);
  // Secrets of apps are stored as hashes, as the adapter does.
  provider.Client.prototype.compareClientSecret = function compareClientSecret(actual: string) {
    return this.clientSecret !== undefined && this.clientSecret === hashToken(actual);
  };
  provider.on('server_error', (_ctx, failure) => parts.log.error({ err: failure }, 'Authorization failed'));
  return provider;
}

/** It warns of Node 20, on which it works. */
async function importQuietly(): Promise<typeof import('oidc-provider')> {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...words);
  };
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
}

/** Lets secret scanners and the service know a token by its beginning. */
function markTokens(prototype: object, marker: string): void {
  const model = prototype as { generateTokenId(): string }; // its types leave this method out
  const { generateTokenId } = model;
  model.generateTokenId = function generateMarkedId() {
    return marker + generateTokenId.call(this);
  };
}

function configure(parts: ProviderParts, errors: typeof Errors): Configuration {
  const { issuer, models, clock, fetchDocument } = parts;
  const codeUsed = () => new errors.InvalidGrant('authorization code already consumed');
  return {
    adapter: createAdapter({ models, clock, resource: issuer, codeUsed }),
    ...protocolSettings(issuer),
    features: features(parts, errors),
    fetch: createFetchDocument(fetchDocument ?? fetchPublic) as NonNullable<Configuration['fetch']>,
    findAccount: async (_ctx, id) => {
      const user = await models.users.find(Number(id));
      return user && user.isActive !== false ? { accountId: id, claims: () => ({ sub: id }) } : undefined;
    },
    interactions: {
      url: async (ctx, { jti: id }) => {
        const question = describeQuestion(ctx.oidc.client, ctx.oidc.params ?? {});
        await models.oauthRequests.ask(id, question);
        return `${accountPrefix}/connect#${id}`;
      },
    },
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    renderError: (ctx, out) => respondErrorPage(ctx, out),
  };
}

function protocolSettings(issuer: string) {
  const cookie = { httpOnly: true, sameSite: 'lax', secure: issuer.startsWith('https:') } as const;
  return {
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: {
      keys: [],
      names: { interaction: 'gamehost_request', resume: 'gamehost_resume', session: 'gamehost_oauth' },
      long: cookie,
      short: cookie,
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // Nothing is signed with it: tokens are opaque, and no app receives an ID token.
    jwks: { keys: [{ ...newKey(), alg: 'ES256', use: 'sig' }] },
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: () => true,
    routes: {
      authorization: oauthPaths.authorize,
      registration: oauthPaths.register,
      revocation: oauthPaths.revoke,
      token: oauthPaths.token,
    },
    ttl,
  } satisfies Configuration;
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

const off = { enabled: false };

function features(
  { issuer, scopes, fetchDocument }: ProviderParts,
  { InvalidTarget }: typeof Errors,
): Configuration['features'] {
  return {
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
    // Experimental in the library, whose minor version is pinned for it.
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: (_ctx, clientId) => fetchDocument !== null || isPublicUrl(clientId),
    },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => issuer,
      getResourceServerInfo: (_ctx, resource) => {
        if (resource !== issuer) throw new InvalidTarget();
        return { scope: scopes.join(' '), audience: issuer, accessTokenFormat: 'opaque' };
      },
      useGrantedResource: () => true,
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
  };
}
