/** Single sign-on at the host's identity provider: OpenID Connect's code flow with PKCE, state and nonce, by openid-client. */

import { createHmac, randomBytes } from 'node:crypto';
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import pLimit from 'p-limit';
import { ApiError, identityProviderUnavailable, identityRefused, overloaded } from '../../routers/errors.ts';
import { lazy } from '../../routers/memoize.ts';
import type { Clock, Identity, SingleSignOn } from '../../routers/ports.ts';
import { shownText } from '../../routers/schemas/text.ts';
import { createCountAddress } from '../limit/count-address.ts';
import type { Limiter } from '../limit/limiter.ts';
import type { Log } from '../observability/log.ts';
import { isLoopback } from './settings.ts';

interface SingleSignOnOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  createsUsers: boolean;
}

interface SingleSignOnDeps {
  log: Log;
  limiter: Limiter;
  clock: Clock;
}

/** Sign-ins that are finished at the provider at once, and how many more may queue; beyond it 503. */
const pendingMax = { atOnce: 20, queued: 80 };

/** Null where it is off. */
export function createSingleSignOn(
  options: SingleSignOnOptions | null,
  { log, ...deps }: SingleSignOnDeps,
): SingleSignOn | null {
  if (options === null) return null;
  const limit = pLimit(pendingMax.atOnce);
  const load = lazy(() => connectProvider(options));
  const flows = createFlows(options.clientSecret, deps);
  /** Whatever the call throws is logged and becomes a refusal for the user. */
  async function withProvider<Result>(call: (provider: Provider) => Promise<Result>): Promise<Result> {
    try {
      return await call(await load());
    } catch (failure) {
      if (failure instanceof ApiError) throw failure;
      log.warn({ failure: describe(failure) }, 'Single sign-on failed');
      throw refusalOf(failure);
    }
  }
  return {
    name: options.name,
    createsUsers: options.createsUsers,
    async start(redirectUri, address) {
      const { checks, ...begun } = await flows.begin(address);
      return { ...begun, url: await withProvider((provider) => provider.start(redirectUri, checks)) };
    },
    async finish(callbackUrl, flow) {
      if (limit.activeCount + limit.pendingCount >= pendingMax.atOnce + pendingMax.queued) throw overloaded();
      const checks = await flows.finish(flow, callbackUrl.searchParams.get('state'));
      return limit(() => withProvider((provider) => provider.finish(callbackUrl, checks)));
    },
    signOutUrl: (returnTo) => withProvider(async (provider) => provider.signOutUrl(returnTo)),
  };
}

const minuteSeconds = 60;
const flowSeconds = 10 * minuteSeconds;

/**
 * What a browser keeps of a sign-in until it comes back: a random text, from which all that the provider must repeat is
 * derived with our secret. So one that we did not begin never reaches the provider, and one that we began does once.
 */
function createFlows(secret: string, { limiter, clock }: Pick<SingleSignOnDeps, 'limiter' | 'clock'>) {
  const countBeginning = createCountAddress(limiter, { name: 'sign-on', max: 30, seconds: minuteSeconds });
  const uses = { name: 'sign-on:use', max: 1, seconds: flowSeconds };
  const derive = (use: string, flow: string) =>
    createHmac('sha256', secret).update(`${use} ${flow}`).digest('base64url');
  const checksOf = (flow: string): Checks => ({
    expectedState: derive('state', flow),
    expectedNonce: derive('nonce', flow),
    pkceCodeVerifier: derive('verifier', flow),
  });
  return {
    async begin(address: string) {
      await countBeginning(address);
      const expiresAt = new Date(clock() + flowSeconds * 1000);
      const flow = `${expiresAt.getTime()}.${randomBytes(32).toString('base64url')}`;
      return { flow, expiresAt, checks: checksOf(flow) };
    },
    /** @throws identityRefused for a flow that another state belongs to, that has ended, or that was used */
    async finish(flow: string, state: string | null): Promise<Checks> {
      const checks = checksOf(flow);
      const isLive = Number.parseInt(flow, 10) > clock();
      if (state !== checks.expectedState || !isLive) throw identityRefused('expired');
      if (!(await limiter.consume(uses, state, 1)).fits) throw identityRefused('expired');
      return checks;
    },
  };
}

/** As openid-client calls them. */
interface Checks {
  expectedState: string;
  expectedNonce: string;
  pkceCodeVerifier: string;
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
    start: (redirectUri: string, checks: Checks) => start(provider, redirectUri, checks),
    finish: (callbackUrl: URL, checks: Checks) => finish(provider, callbackUrl, checks),
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

async function start({ client, config }: Discovered, redirectUri: string, checks: Checks): Promise<string> {
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  });
  return url.href;
}

async function finish({ client, config }: Discovered, callbackUrl: URL, checks: Checks): Promise<Identity> {
  const expected = { ...checks, idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(config, callbackUrl, expected);
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
