/**
 * Sets up the authorization server's library: authorization code with PKCE, rotating refresh tokens, opaque tokens for one
 * resource. It is loaded at an app's first request, because loading takes long.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { Configuration, Provider, RefreshToken } from 'oidc-provider';
import type { Brand } from '../../bridge/pages/brand.ts';
import type { RequestContext } from '../../bridge/protocol.ts';
import { visitorBodyBytesMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import type { OAuthQuestion } from '../../models/oauth/apps.ts';
import { accessTokenMarker } from '../../models/oauth/tokens.ts';
import { daySeconds, hourSeconds, minuteSeconds } from '../../models/support/durations.ts';
import { generateToken, hashToken } from '../../models/support/secrets.ts';
import { accountPrefix } from '../account/account.ts';
import type { AuditTrail } from '../audit/audit.ts';
import type { Log } from '../observability/log.ts';
import { isDocumentUrl } from '../outbound/addresses.ts';
import { type AdapterDeps, type AuditGrant, createAdapter } from './adapter.ts';
import { clientIdOf, createFetchDocument, type Fetch, fetchPublic, isOfDocument } from './client-metadata.ts';
import { assertionAlgorithms, authMethods, oauthPaths } from './documents.ts';
import { logRefusal, respondErrorPage, respondIfOutage } from './errors.ts';

type Errors = typeof import('oidc-provider/lib/helpers/errors.js');
type OAuthError = Errors['OIDCProviderError']['prototype'];

export interface ProviderDeps extends Pick<AdapterDeps, 'models' | 'clock' | 'limiter' | 'scopes'> {
  issuer: string;
  brand: Brand;
  log: Log;
  trail: Pick<AuditTrail, 'storeNow'>;
  /** If null, documents are fetched from public addresses only. */
  fetchDocument: Fetch | null;
}

/** In seconds. The real lifetime of a grant is in `models/oauth/grants.ts`. */
const ttl = {
  AccessToken: hourSeconds,
  AuthorizationCode: minuteSeconds,
  Grant: 180 * daySeconds,
  IdToken: hourSeconds,
  Interaction: 10 * minuteSeconds,
  RefreshToken: 30 * daySeconds,
  Session: 10 * minuteSeconds,
};

export async function loadProvider(deps: ProviderDeps): Promise<Provider> {
  const { Provider } = await import('oidc-provider/lib/provider.js');
  const errors = await import('oidc-provider/lib/helpers/errors.js');
  const contextOfRequest = () => Provider.ctx as unknown as RequestContext;
  const audit = createAuditGrant(deps, contextOfRequest);
  const isRevocation = () => contextOfRequest().state.request.path === oauthPaths.revoke;
  const provider = new Provider(deps.issuer, configure({ ...deps, audit, isRevocation }, errors));
  markAccessTokens(provider.AccessToken.prototype);
  nameRefreshTokens(provider.RefreshToken.prototype, deps.models);
  adaptClientAuth(provider, () => Provider.ctx?.oidc?.params);
  provider.on('server_error', (ctx, failure) => {
    deps.log.error({ err: failure }, 'Authorization failed');
    const outage = respondIfOutage(ctx, failure);
    if (outage) respondErrorPage(ctx, outage, deps.brand);
  });
  logRefusals(provider, deps.log, contextOfRequest);
  return provider;
}

function logRefusals(provider: Provider, log: Log, contextOfRequest: () => RequestContext): void {
  const report = (_ctx: unknown, { error, error_description, cause }: OAuthError) => {
    if (error === 'access_denied') return; // the user denied access, so no one needs to look for a cause
    const why = { error, error_description, cause: cause instanceof Error ? cause.message : undefined };
    logRefusal(log, contextOfRequest().state.request, why);
  };
  provider.on('registration_create.error', report);
  provider.on('authorization.error', report);
  provider.on('grant.error', report);
}

/** Lets secret scanners and the service recognize a token by its beginning. */
function markAccessTokens(prototype: object): void {
  const model = prototype as { generateTokenId(): string }; // the library's types leave this method out
  const { generateTokenId } = model;
  model.generateTokenId = function generateMarkedId() {
    return accessTokenMarker + generateTokenId.call(this);
  };
}

/** Our store creates the refresh tokens, so it can recognize a token however long ago that was replaced. */
function nameRefreshTokens(prototype: RefreshToken, models: Models): void {
  const { save } = prototype;
  prototype.save = async function saveNamed(...options) {
    this.jti ||= await models.oauthTokens.createRefreshToken(this.grantId ?? '');
    return save.apply(this, options);
  };
}

/**
 * Makes the library compare secrets by their hashes, because only hashes are stored. An app may offer both an assertion and no
 * authentication: the library then verifies an assertion if one is sent.
 */
function adaptClientAuth({ Client }: Provider, paramsOfRequest: () => object | undefined): void {
  Client.prototype.compareClientSecret = function compareClientSecret(actual: string) {
    return this.clientSecret !== undefined && this.clientSecret === hashToken(actual);
  };
  Object.defineProperty(Client.prototype, 'clientAuthMethod', {
    get(this: InstanceType<typeof Client>) {
      const { tokenEndpointAuthMethod: method, jwks, jwksUri } = this;
      const isAsserted = method === 'none' && (jwks ?? jwksUri) && hasAssertion(paramsOfRequest());
      return isAsserted ? 'private_key_jwt' : method;
    },
  });
}

const hasAssertion = (params: { client_assertion?: unknown } = {}) => params.client_assertion !== undefined;

/** Stores the entry before the response leaves, as for every write. */
const createAuditGrant =
  ({ trail, clock }: ProviderDeps, contextOfRequest: () => RequestContext): AuditGrant =>
  async (event, { _id: grantId, userId, app }) => {
    const { address, id: requestId } = contextOfRequest().state.request;
    const outcome = event === 'replayed' ? { status: 400, code: 'replayed' } : { status: 200, code: null };
    const operation = event === 'renewed' ? 'apps.renew' : 'apps.end';
    const entry = { at: new Date(clock()), userId, keyId: '', grantId, clientId: app.clientId, operation };
    await trail.storeNow([{ ...entry, ...outcome, target: grantId, address, requestId, via: 'oauth' }]);
  };

function configure(
  deps: ProviderDeps & Pick<AdapterDeps, 'audit' | 'isRevocation'>,
  errors: Errors,
): Configuration {
  const { issuer, brand, models, fetchDocument } = deps;
  const codeUsed = () => new errors.InvalidGrant('authorization code already consumed');
  return {
    adapter: createAdapter({ ...deps, resource: issuer, codeUsed }),
    ...protocolSettings(issuer),
    features: features(deps, errors),
    fetch: createFetchDocument(fetchDocument ?? fetchPublic) as NonNullable<Configuration['fetch']>,
    findAccount: async (_ctx, id) => {
      const user = await models.users.find(Number(id));
      return user?.isActive ? { accountId: id, claims: () => ({ sub: id }) } : undefined;
    },
    interactions: {
      url: async (ctx, { jti: id }) => {
        const question = createQuestion(ctx.oidc.client, ctx.oidc.params ?? {});
        await models.oauthRequests.putQuestion(id, question);
        return `${accountPrefix}/connect#${id}`;
      },
    },
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId;
      return id === undefined ? undefined : oidc.provider.Grant.find(id);
    },
    renderError: (ctx, out, failure) => respondErrorPage(ctx, respondIfOutage(ctx, failure) ?? out, brand),
  };
}

function protocolSettings(issuer: string) {
  const cookie = { httpOnly: true, sameSite: 'lax', secure: issuer.startsWith('https:') } as const;
  return {
    clientAuthMethods: [...authMethods],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: {
      keys: [],
      names: { interaction: 'gamehost_request', resume: 'gamehost_resume', session: 'gamehost_oauth' },
      long: cookie,
      short: cookie,
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'], clientAuthSigningAlgValues: [...assertionAlgorithms] },
    expiresWithSession: () => false,
    fetchResponseBodyLimits: { jwks_uri: visitorBodyBytesMax },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // The library requires a key, but signs nothing with it: tokens are opaque, and apps get no ID token.
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
  { issuer, scopes, fetchDocument }: ProviderDeps,
  { InvalidTarget }: Errors,
): Configuration['features'] {
  return {
    devInteractions: off,
    dPoP: off,
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
    // This feature is experimental in the library, so package.json pins the library's minor version.
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: (_ctx, clientId) => fetchDocument !== null || isDocumentUrl(clientId),
    },
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      idFactory: ({ oidc }) => clientIdOf(oidc.body ?? {}) ?? generateToken(),
    },
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

/** @param client registered, or read from a metadata document, whose address is then the client's id */
function createQuestion(
  client: { clientId: string; clientName?: string | undefined } | undefined,
  { redirect_uri, scope }: Record<string, unknown>,
): OAuthQuestion {
  if (!client) throw new Error('an authorization request without a client');
  const { clientId, clientName: name = 'Unnamed app' } = client;
  const verifiedHost = isOfDocument(clientId) ? new URL(clientId).host : null;
  const returnsTo = destinationOf(String(redirect_uri));
  return { app: { clientId, name, verifiedHost }, returnsTo, scopes: String(scope).split(' ') };
}

function destinationOf(redirect: string): string {
  const { protocol, hostname, host } = new URL(redirect);
  if (protocol === 'http:') return hostname;
  return protocol === 'https:' ? host : `${protocol.slice(0, -1)}:`;
}
