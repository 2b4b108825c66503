/** The host's identity provider: OpenID Connect's code flow with PKCE, state and nonce, by openid-client. */
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import { profileTextLengthMax } from '../../models/bounds.ts';
import { identityRefused } from '../../routers/errors.ts';
import type { Identity } from '../../routers/ports.ts';
import { cleanText, cut } from '../../routers/schemas/text.ts';
import { isLoopback } from '../loopback.ts';

export type Provider = Awaited<ReturnType<typeof connectProvider>>;

export interface ProviderOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  createsUsers: boolean;
  /** Whether it requires a second factor of everyone, even if its tokens do not say so. */
  isStrong: boolean;
}

export interface Checks {
  expectedState: string;
  expectedNonce: string;
  pkceCodeVerifier: string;
}

const timeoutSeconds = 10;

type Client = typeof import('openid-client');

interface Discovered {
  client: Client;
  config: Configuration;
  /** Claims without which a sign-in cannot proceed. */
  wantedClaims: readonly string[];
}

/** Discovers the provider. Plain http is allowed only for an issuer on this machine. */
export async function connectProvider(options: ProviderOptions) {
  const { issuer, clientId, clientSecret, createsUsers, isStrong } = options;
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
  const names = createsUsers ? ['given_name', 'family_name'] : [];
  const provider = { client, config, wantedClaims: ['email', 'email_verified', ...names] };
  return {
    start: (redirectUri: string, checks: Checks) => start(provider, redirectUri, checks),
    async finish(callbackUrl: URL, checks: Checks): Promise<Identity> {
      const identity = await finish(provider, callbackUrl, checks);
      return isStrong ? { ...identity, isStrong } : identity;
    },
    signOutUrl: (returnTo: string): string | null =>
      config.serverMetadata().end_session_endpoint === undefined
        ? null
        : client.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href,
  };
}

type ClientAuth = ReturnType<Client['ClientSecretPost']>;

/**
 * Sends credentials in the body, unless the provider supports only HTTP basic authentication, which is also the
 * standard's default.
 */
function authenticateBy(client: Client, secret: string): ClientAuth {
  const post = client.ClientSecretPost(secret);
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    if (methods.includes('client_secret_post') || !methods.includes('client_secret_basic'))
      return post(server, ...request);
    const [{ client_id: id }, , headers] = request;
    headers.set('authorization', `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}`);
  };
}

/**
 * Form-encodes the credentials (RFC 6749, section 2.3.1). openid-client's own encoding also encodes `-`, `.` and `_`,
 * which forms leave alone: providers that do not decode would reject most client ids.
 */
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);

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

async function finish(provider: Discovered, callbackUrl: URL, checks: Checks): Promise<Identity> {
  const { client, config, wantedClaims } = provider;
  const expected = { ...checks, idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(config, callbackUrl, expected);
  const claims = tokens.claims();
  if (!claims) throw identityRefused('invalid');
  const isComplete = wantedClaims.every((name) => hasValue(claims[name]));
  const hasUserinfo = config.serverMetadata().userinfo_endpoint !== undefined;
  if (isComplete || !hasUserinfo) return identityOf(claims, {});
  try {
    return identityOf(claims, await client.fetchUserInfo(config, tokens.access_token, claims.sub));
  } catch (failure) {
    // Userinfo could only add names.
    const identity = identityOf(claims, {});
    if (identity.email !== null && identity.isEmailVerified) return identity;
    throw failure;
  }
}

function requireLoopback(config: Configuration): void {
  for (const [name, value] of Object.entries(config.serverMetadata()))
    if (typeof value === 'string' && value.startsWith('http:') && !isLoopback(new URL(value)))
      throw new Error(`${name} of the identity provider is plain http outside the loopback interface`);
}

/** Some providers send an empty text for an unknown value. */
const hasValue = (claim: unknown) =>
  claim !== undefined && claim !== null && !(typeof claim === 'string' && claim.trim() === '');

/**
 * Everything but issuer and subject is the provider's claim, accepted only in the expected type. Userinfo fills in
 * what the ID token lacks.
 */
function identityOf(claims: IDToken, userinfo: Partial<UserInfoResponse>): Identity {
  const claimsWithValue = Object.fromEntries(Object.entries(claims).filter(([, claim]) => hasValue(claim)));
  const { email, given_name, family_name, nickname, preferred_username } = {
    ...userinfo,
    ...claimsWithValue,
  };
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof email === 'string' ? email : null,
    isEmailVerified: isVerified(email, [claims, userinfo]),
    isStrong: Array.isArray(claims.amr) && claims.amr.some((method) => strongMethods.includes(method)),
    authenticatedAt: typeof claims.auth_time === 'number' ? claims.auth_time * 1000 : null,
    firstName: nameOf(given_name),
    lastName: nameOf(family_name),
    nickname: nameOf(nickname) ?? nameOf(preferred_username),
  };
}

/** Contract 5 and RFC 8176: more than one factor, a one-time code, or a key. */
const strongMethods: readonly unknown[] = ['mfa', 'otp', 'hwk', 'swk'];

/**
 * Whether every source that states it says yes, and at least one does. A source with another address does not count.
 * Some providers send the text "true".
 */
function isVerified(email: unknown, profiles: Partial<UserInfoResponse>[]): boolean {
  const words = profiles
    .filter((profile) => !hasValue(profile.email) || profile.email === email)
    .map(({ email_verified }) => email_verified as unknown)
    .filter(hasValue);
  return words.length > 0 && words.every((word) => word === true || word === 'true');
}

function nameOf(value: unknown): string | null {
  const name = typeof value === 'string' ? cleanText(value).replace(/\s+/g, ' ').trim() : '';
  return cut(name, profileTextLengthMax) || null;
}
