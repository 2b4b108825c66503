/**
 * Decides who calls, by `Authorization: Bearer` or `X-API-Key` with a key or an app's access token. It refuses no request, as
 * each operation declares what its caller needs: without a valid one, the caller is a visitor with the refusal.
 */
import type { IncomingMessage } from 'node:http';
import QuickLRU from 'quick-lru';
import { type Authenticate, headerOf, type RequestInfo } from '../../bridge/protocol.ts';
import { isKeyLike, mayContainKey } from '../../models/api-key/secret.ts';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import type { Models } from '../../models/index.ts';
import { accessTokenMarker } from '../../models/oauth/tokens.ts';
import { type Caller, visitorOf } from '../../routers/caller.ts';
import { type ApiError, forbiddenAddress, type KeyRefusal } from '../../routers/errors.ts';
import { compileAddresses } from '../../routers/key-restrictions.ts';
import type { Clock } from '../../routers/ports.ts';
import { isAdminScope, isScopeFor, type Scope } from '../../routers/scopes.ts';

interface AuthenticateOptions {
  models: Models;
  clock: Clock;
  /** A key has no other scope, whatever it was issued with. */
  offeredScopes: readonly Scope[];
  /** Whether apps may call with access tokens. */
  hasApps: boolean;
  refuseKey: KeyErrorOf;
}

/** What a visitor's request at a path is refused with. */
export type KeyErrorOf = (refusal: KeyRefusal, path: string) => ApiError;

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { clock, offeredScopes, hasApps, refuseKey } = options;
  const offered: ReadonlySet<string> = new Set(offeredScopes);
  const isOffered = (scope: string): scope is Scope => offered.has(scope);
  const findKeyCaller = createFindKeyCaller(options, isOffered);
  const findAppCaller = createFindAppCaller(options, isOffered);
  return async function authenticate({ req, state: { request } }): Promise<Caller> {
    const { secret, refusal } = readSecret(req);
    if (secret === null) return visitorOf(refuseKey(refusal, request.path));
    const find = hasApps && isBearerToken(secret, req) ? findAppCaller : findKeyCaller;
    return find(secret, request, new Date(clock()));
  };
}

type FindCaller = (secret: string, request: RequestInfo, now: Date) => Promise<Caller>;
type IsOffered = (scope: string) => scope is Scope;

function createFindKeyCaller({ models, refuseKey }: AuthenticateOptions, isOffered: IsOffered): FindCaller {
  const isAllowedFrom = createAddressCheck();
  return async function findKeyCaller(secret, { path, address }, now) {
    const { key, refusal } = await models.apiKeys.verify(secret, now);
    if (refusal) return visitorOf(refuseKey(refusal, path), key && { kind: 'key', key });
    if (!isAllowedFrom(key, address)) return visitorOf(forbiddenAddress(address), { kind: 'key', key });
    models.apiKeys.touch(key, now);
    const { _id: keyId, userId, servers = null } = key;
    const own = key.scopes.filter(isOffered);
    const scopes = own.some(isAdminScope) ? await keepScopesOfRole(own, userId, models) : own;
    return { kind: 'key', userId, keyId, scopes, servers, key };
  };
}

function createFindAppCaller({ models, refuseKey }: AuthenticateOptions, isOffered: IsOffered): FindCaller {
  return async function findAppCaller(token, { path }, now) {
    if (!token.startsWith(accessTokenMarker)) return visitorOf(refuseKey('unrecognized', path));
    const { scopes: held, grant, refusal } = await models.oauthTokens.verify(token, now);
    if (refusal) return visitorOf(refuseKey(refusal, path), grant && { kind: 'app', grant });
    models.oauthGrants.touch(grant, now);
    const { _id: keyId, userId } = grant;
    const scopes = held.filter(isOffered).filter((scope) => !isAdminScope(scope));
    return { kind: 'app', userId, keyId, scopes, servers: null, grant };
  };
}

/** Admin scopes count only while the owner has the role for them, which is looked up only for keys that have one. */
async function keepScopesOfRole(
  scopes: readonly Scope[],
  userId: number,
  { users }: Models,
): Promise<Scope[]> {
  const owner = await users.find(userId);
  return scopes.filter((scope) => (owner ? isScopeFor(owner, scope) : !isAdminScope(scope)));
}

type SentSecret = { secret: string; refusal: null } | { secret: null; refusal: KeyRefusal };

/**
 * The key of a request, from either header; two different keys identify no caller. An Authorization header for a proxy in front
 * of us, such as a password that it asks for, may stand next to X-API-Key.
 */
function readSecret(req: IncomingMessage): SentSecret {
  // A proxy in front of us may read the last of two headers where Node keeps the first.
  if (isRepeated(req, 'authorization')) return { secret: null, refusal: 'conflicting' };
  const authorization = headerOf({ req }, 'authorization').trim();
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const apiKey = headerOf({ req }, 'x-api-key').trim();
  if (authorization && !bearer && !(apiKey && isOfProxy(authorization)))
    return { secret: null, refusal: 'other_scheme' };
  if (/\s/.test(apiKey)) return { secret: null, refusal: 'not_alone' };
  if (bearer && apiKey && bearer !== apiKey) return { secret: null, refusal: 'conflicting' };
  const secret = bearer ?? apiKey;
  return secret ? { secret, refusal: null } : { secret: null, refusal: 'missing' };
}

/** Whether a header has another scheme, and no key of ours. */
const isOfProxy = (authorization: string) =>
  /^(?!bearer\b)[\w-]+ +\S/i.test(authorization) && !mayContainKey(authorization);

/** Anything but a key; tokens have one header. */
const isBearerToken = (secret: string, { headers }: IncomingMessage) =>
  !isKeyLike(secret) && headers['x-api-key'] === undefined;

/** Whether a header was sent more than once, which Node shows only in `rawHeaders`: each name is followed by its value. */
const isRepeated = ({ rawHeaders }: IncomingMessage, header: string) =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === header).length > 1;

/** Whether a key may be used from an address; what it is restricted to never changes, and is compiled once. */
function createAddressCheck() {
  const compiled = new QuickLRU<string, ReturnType<typeof compileAddresses>>({ maxSize: 1000 });
  return ({ _id, addresses }: ApiKeyRecord, address: string): boolean => {
    if (!addresses) return true;
    const check = compiled.get(_id) ?? compileAddresses(addresses);
    compiled.set(_id, check);
    return check(address);
  };
}
