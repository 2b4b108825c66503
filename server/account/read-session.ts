/** Reads the session cookie of a call from the account page, and lets procedures set and clear cookies. */
import { isIP } from 'node:net';
import bowser from 'bowser';
import type { Authenticate, RequestContext } from '../../bridge/protocol.ts';
import { nameLengthMax, parsedHeaderLengthMax, providerSignInsMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import { type Caller, scopesOfSession, visitorOf } from '../../routers/caller.ts';
import type { Browser } from '../../routers/context.ts';
import { notSignedIn } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { cut } from '../../routers/schemas/text.ts';
import { isStaff, type Scope } from '../../routers/scopes.ts';
import type { Config } from '../config.ts';

export const sessionCookie = 'gamehost_session';

interface ReadSessionDeps {
  models: Models;
  clock: Clock;
  offeredScopes: readonly Scope[];
  publicUrl: string | undefined;
  config: Pick<Config, 'staffNeedsSecondFactor'>;
}

/** A session may do everything that a key of its user could. */
export function createReadSession(deps: ReadSessionDeps): Authenticate {
  const { models, clock, publicUrl, offeredScopes, config } = deps;
  const isHttps = publicUrl?.startsWith('https:') ?? false;
  return async function readSession(ctx): Promise<Caller> {
    const token = createCookie(ctx, { name: sessionCookie, isHttps }).value;
    const session = token ? await models.sessions.verifyOrPending(token, new Date(clock())) : null;
    if (!session || session.isPending) return visitorOf(notSignedIn(), null, session);
    const scopes = scopesOfSession(session, offeredScopes);
    const lacksFactor = config.staffNeedsSecondFactor && isStaff(session.user) && !session.isTwoFactor;
    const { _id: userId } = session.user;
    return { kind: 'session', userId, keyId: '', scopes, servers: null, session, lacksFactor };
  };
}

export function createBrowserOf(publicUrl: string | undefined): (ctx: RequestContext) => Browser {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  const isHttps = publicUrl?.startsWith('https:') ?? false;
  return function browserOf(ctx) {
    const { set, clear } = createCookie(ctx, { name: sessionCookie, isHttps });
    const origin = publicOrigin ?? originOf(ctx);
    return {
      origin,
      relyingPartyId: relyingPartyIdOf(origin, publicOrigin),
      device: deviceOf(ctx.get('User-Agent')),
      setToken: set,
      clearToken: clear,
      flows: createFlowCookies(ctx, isHttps),
    };
  };
}

/**
 * Browsers allow passkeys over TLS and at localhost, and bind them to a name. Without PUBLIC_URL, any other name is
 * the client's claim.
 */
function relyingPartyIdOf(origin: string, publicOrigin: string | undefined): string | null {
  if (!URL.canParse(origin)) return null;
  const { protocol, hostname } = new URL(origin);
  if (hostname === 'localhost') return hostname;
  const isNamed = isIP(hostname) === 0 && !hostname.startsWith('[');
  return publicOrigin && protocol === 'https:' && isNamed ? hostname : null;
}

/** One cookie for each started sign-in, as several tabs may sign in at once. */
function createFlowCookies(ctx: RequestContext, isHttps: boolean): Browser['flows'] {
  const named = (id: string) => createCookie(ctx, { name: `gamehost_sso_${id}`, isHttps });
  const of = (state: string) => named(state.slice(0, 8).replace(/\W/g, '_'));
  return {
    read: (state) => of(state).value,
    keep(state, flow, expiresAt) {
      for (const id of oldestFlows(ctx.get('Cookie'))) named(id).clear();
      of(state).set(flow, expiresAt);
    },
    drop: (state) => of(state).clear(),
  };
}

/**
 * The cookies to drop when another is added: at most twice the bound, as each costs a header. A flow's value begins
 * with its expiry.
 */
const oldestFlows = (cookies: string): string[] =>
  [...cookies.matchAll(/gamehost_sso_(\w{1,8})=(\d+)/g)]
    .sort(([, , one], [, , other]) => Number(other) - Number(one))
    .slice(providerSignInsMax - 1, 3 * providerSignInsMax - 1)
    .map(([, id = '']) => id);

/** The client controls the Host header, so a configured address takes precedence. */
export const originOf = ({ protocol, host }: Pick<RequestContext, 'protocol' | 'host'>) =>
  `${protocol}://${host}`;

interface CookieOptions {
  name: string;
  /** Whether PUBLIC_URL is https. A trusted proxy may also report it per request. */
  isHttps: boolean;
}

/** A cookie of the account page: HttpOnly, SameSite, and over TLS Secure and bound to the host by its prefix. */
export function createCookie({ cookies, secure, req }: RequestContext, { name, isHttps }: CookieOptions) {
  const isSecure = isHttps || secure;
  // RFC 6265bis: browsers accept this prefix only from the host itself, with Secure and Path=/.
  const cookieName = isSecure ? `__Host-${name}` : name;
  const attributes = {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    path: '/',
    overwrite: true,
  } as const;
  cookies.secure = isSecure;
  return {
    value: readCookie(req.headers.cookie ?? '', cookieName),
    set: (value: string, expires: Date) => {
      cookies.set(cookieName, value, { ...attributes, expires });
    },
    clear: () => {
      cookies.set(cookieName, null, attributes);
    },
  };
}

/** Not `cookies.get`: it caches a regular expression for every name it reads, and callers choose some of them. */
function readCookie(header: string, name: string): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** Names a session's device for its user, such as "Firefox on Windows", from the User-Agent header. */
function deviceOf(userAgent: string): string | null {
  if (userAgent === '' || userAgent.length > parsedHeaderLengthMax) return null;
  const { browser, os } = bowser.parse(userAgent);
  const names = [browser.name, os.name].filter((name) => name !== undefined && name !== '');
  return names.length === 0 ? null : cut(names.join(' on '), nameLengthMax);
}
