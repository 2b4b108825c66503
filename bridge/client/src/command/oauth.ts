/** Signs in to a host by OAuth 2.1: authorization code with PKCE, as an app that the host does not know beforehand. */
import * as oauth from 'openid-client';
import { GamehostError } from '../errors.ts';
import { exchange } from '../exchange.ts';
import { visitHost } from './browser.ts';
import { notSignedIn } from './failures.ts';
import type { Grant, SignIn } from './sign-ins.ts';

/** The host lets an app on the user's device choose the port of a loopback address. */
const client = {
  client_name: 'gamehost command',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

export const signInByBrowser = (url: string): Promise<SignIn> =>
  explain(async () => {
    const issuer = await findIssuer(url);
    // The same registration always gets the same client_id, and a host forgets one without sign-ins.
    const config = await oauth.dynamicClientRegistration(issuer, client, oauth.None(), optionsFor(issuer));
    const checks = { pkceCodeVerifier: oauth.randomPKCECodeVerifier(), expectedState: oauth.randomState() };
    const parameters = {
      resource: url,
      scope: config.serverMetadata().scopes_supported?.join(' ') ?? 'offline_access',
      state: checks.expectedState,
      code_challenge: await oauth.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
    };
    const tokens = await visitHost({
      addressOf: (redirect_uri) => oauth.buildAuthorizationUrl(config, { ...parameters, redirect_uri }),
      finish: (returned) => oauth.authorizationCodeGrant(config, returned, checks, { resource: url }),
    });
    return signInOf(tokens, { issuer: issuer.href, clientId: config.clientMetadata().client_id });
  });

/** @throws {GamehostError} when the grant ended */
export const renewGrant = (url: string, { issuer, clientId, refreshToken }: Grant): Promise<SignIn> =>
  explain(async () => {
    const config = await configure(issuer, clientId);
    const tokens = await oauth.refreshTokenGrant(config, refreshToken, { resource: url }).catch((failure) => {
      if (failure.error !== 'invalid_grant' && failure.error !== 'invalid_client') throw failure;
      throw notSignedIn(`Your sign-in to ${url} ended: run "gamehost login --url ${url}"`);
    });
    return signInOf({ refresh_token: refreshToken, ...tokens }, { issuer, clientId });
  });

export const revokeGrant = ({ issuer, clientId, refreshToken }: Grant): Promise<void> =>
  explain(async () => oauth.tokenRevocation(await configure(issuer, clientId), refreshToken));

const configure = (issuer: string, clientId: string) =>
  oauth.discovery(new URL(issuer), clientId, {}, oauth.None(), optionsFor(new URL(issuer)));

const optionsFor = ({ protocol }: URL): oauth.DiscoveryRequestOptions => ({
  algorithm: 'oauth2',
  [oauth.customFetch]: async (url, init) => {
    const { response, text } = await fetchWhole(url, init as RequestInit);
    return new Response(text || null, response);
  },
  ...(protocol === 'http:' && { execute: [oauth.allowInsecureRequests] }),
});

const fetchWhole = (url: string, init: RequestInit = {}) =>
  exchange(fetch, { ...init, url }, { timeoutMs: 10_000 });

type Tokens = Pick<oauth.TokenEndpointResponse, 'access_token' | 'refresh_token' | 'expires_in'>;

function signInOf(tokens: Tokens, client: Pick<Grant, 'issuer' | 'clientId'>): SignIn {
  const { access_token: token, refresh_token: refreshToken, expires_in = 3600 } = tokens;
  if (!refreshToken) return { token };
  return { token, grant: { ...client, refreshToken, expiresAt: Date.now() + expires_in * 1000 } };
}

/** Reads the host's metadata (RFC 9728). */
async function findIssuer(url: string): Promise<URL> {
  const { response, text } = await fetchWhole(`${new URL(url).origin}/.well-known/oauth-protected-resource`);
  if (response.status === 404)
    throw refused(`${url} has no sign-in by browser: create a key there, and run "gamehost login --key -"`);
  const { resource, authorization_servers: [issuer] = [] } = await new Response(text)
    .json()
    .catch(() => ({}));
  if (!URL.canParse(resource) || !URL.canParse(issuer))
    throw refused(`${url} does not describe its sign-in: its status is ${response.status}`);
  if (new URL(resource).href !== new URL(url).href)
    throw refused(`${url} calls itself ${resource}: run "gamehost login --url ${resource}"`);
  const found = new URL(issuer);
  // The library then refuses each address of plain HTTP, except for a host on this machine.
  if (found.protocol !== 'https:' && found.origin !== new URL(url).origin)
    throw refused(`${url} signs in at ${issuer}, which is not safe`);
  return found;
}

const refused = (message: string, cause?: unknown) =>
  new GamehostError({ code: 'sign_in_failed', message, cause });

/** Turns an error of the library into one with the message of the host. */
async function explain<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (failure) {
    const { message, error, error_description, cause } = failure as Partial<oauth.ResponseBodyError>;
    for (const known of [failure, cause]) if (known instanceof GamehostError) throw known;
    throw refused(`The sign-in failed: ${error_description ?? error ?? message}`, failure);
  }
}
