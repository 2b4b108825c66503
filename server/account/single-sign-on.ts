/** Single sign-on at the host's identity provider: OpenID Connect's code flow with PKCE, state and nonce, by openid-client. */

import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import pLimit from 'p-limit';
import { ApiError, identityProviderUnavailable, identityRefused, overloaded } from '../../routers/errors.ts';
import { lazy } from '../../routers/memoize.ts';
import type { Identity, SingleSignOn } from '../../routers/ports.ts';
import { shownText } from '../../routers/schemas/text.ts';
import type { Log } from '../observability/log.ts';
import { isLoopback } from './settings.ts';

interface SingleSignOnOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  createsUsers: boolean;
}

/** Sign-ins that wait for the provider at once, and how many more may queue; beyond it 503. */
const pendingMax = { atOnce: 20, queued: 80 };

export function createSingleSignOn(options: SingleSignOnOptions, log: Log): SingleSignOn {
  const limit = pLimit(pendingMax.atOnce);
  const load = lazy(() => connectProvider(options));
  /** Runs one exchange with the provider; whatever it throws is logged and becomes a refusal for the user. */
  async function callProvider<Result>(call: (provider: Provider) => Promise<Result>): Promise<Result> {
    if (limit.activeCount + limit.pendingCount >= pendingMax.atOnce + pendingMax.queued) throw overloaded();
    try {
      return await limit(async () => call(await load()));
    } catch (failure) {
      if (failure instanceof ApiError) throw failure;
      log.warn({ failure: describe(failure) }, 'Single sign-on failed');
      throw refusalOf(failure);
    }
  }
  return {
    name: options.name,
    createsUsers: options.createsUsers,
    start: (redirectUri) => callProvider((provider) => provider.start(redirectUri)),
    finish: (callbackUrl, flow) => callProvider((provider) => provider.finish(callbackUrl, flow)),
    signOutUrl: (returnTo) => callProvider(async (provider) => provider.signOutUrl(returnTo)),
  };
}

/** Without bodies, tokens and codes, which may stand in an error's cause. */
function describe(failure: unknown) {
  if (!(failure instanceof Error)) return { name: typeof failure };
  const { name, message } = failure;
  return { name, message, code: 'code' in failure ? failure.code : undefined, error: errorOf(failure) };
}

/** OAuth's own code of an error response, such as access_denied. */
const errorOf = (failure: object) => ('error' in failure ? failure.error : undefined);

const httpErrorMin = 500;

function refusalOf(failure: unknown): ApiError {
  if (!(failure instanceof Error)) return identityProviderUnavailable(failure);
  if (errorOf(failure) === 'access_denied') return identityRefused('denied');
  // openid-client gives an unexpected response as the cause.
  const status = failure.cause instanceof Response ? failure.cause.status : undefined;
  const isErrorResponse =
    'code' in failure && typeof failure.code === 'string' && /^OAUTH_/.test(failure.code);
  const isOutage = status !== undefined && status >= httpErrorMin;
  return isErrorResponse && !isOutage ? identityRefused('invalid') : identityProviderUnavailable(failure);
}

type Provider = Awaited<ReturnType<typeof connectProvider>>;

interface ProviderOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

const timeoutSeconds = 10;

type Client = typeof import('openid-client');

interface Discovered {
  client: Client;
  config: Configuration;
}

/** Discovers the provider. Plain http is allowed for an issuer on this machine only. */
async function connectProvider({ issuer, clientId, clientSecret }: ProviderOptions) {
  const client = await import('openid-client');
  const isPlain = issuer.startsWith('http:');
  const { allowInsecureRequests, enableNonRepudiationChecks } = client;
  const config = await client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    authenticateBy(client, clientSecret),
    {
      timeout: timeoutSeconds,
      execute: isPlain ? [allowInsecureRequests, enableNonRepudiationChecks] : [enableNonRepudiationChecks],
    },
  );
  if (isPlain) requireLoopback(config);
  const provider = { client, config };
  return {
    start: (redirectUri: string) => start(provider, redirectUri),
    finish: (callbackUrl: URL, flow: string) => finish(provider, callbackUrl, flow),
    signOutUrl: (returnTo: string): string | null =>
      config.serverMetadata().end_session_endpoint === undefined
        ? null
        : client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href,
  };
}

/** By HTTP basic authentication, the standard's default, unless the provider supports only the other way. */
function authenticateBy(client: Client, secret: string): ReturnType<Client['ClientSecretBasic']> {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true)
      ? basic(server, ...rest)
      : post(server, ...rest);
}

async function start({ client, config }: Discovered, redirectUri: string) {
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const verifier = client.randomPKCECodeVerifier();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  return { url: url.href, flow: [state, nonce, verifier].join('.') };
}

async function finish({ client, config }: Discovered, callbackUrl: URL, flow: string): Promise<Identity> {
  const [expectedState, expectedNonce, pkceCodeVerifier] = flow.split('.');
  if (!expectedState || !expectedNonce || !pkceCodeVerifier) throw identityRefused('expired');
  if (callbackUrl.searchParams.get('state') !== expectedState) throw identityRefused('expired');
  const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(config, callbackUrl, checks);
  const claims = tokens.claims();
  if (!claims) throw identityRefused('invalid');
  const { userinfo_endpoint } = config.serverMetadata();
  const hasProfile = claims['email'] !== undefined || userinfo_endpoint === undefined;
  const profile = hasProfile ? claims : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
  return identityOf(claims, profile);
}

function requireLoopback(config: Configuration): void {
  for (const [name, value] of Object.entries(config.serverMetadata()))
    if (typeof value === 'string' && value.startsWith('http:') && !isLoopback(new URL(value)))
      throw new Error(`${name} of the identity provider is plain http outside the loopback interface`);
}

const nameLengthMax = 200;

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, nameLengthMax) : null;

const nameOf = (value: unknown): string | null =>
  typeof value === 'string' ? textOf(shownText(value).replace(/\s+/g, ' ')) : null;

/** Everything but issuer and subject is the provider's word, taken only in the expected type. */
function identityOf({ iss, sub }: IDToken, profile: IDToken | UserInfoResponse): Identity {
  const { email, email_verified, given_name, family_name, nickname, preferred_username } = profile;
  return {
    issuer: iss,
    subject: sub,
    email: typeof email === 'string' ? email : null,
    // Absent means false.
    isEmailVerified: email_verified === true,
    firstName: nameOf(given_name),
    lastName: nameOf(family_name),
    nickname: nameOf(nickname) ?? nameOf(preferred_username),
  };
}
