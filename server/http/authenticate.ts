/**
 * Identifies the caller by a key or an app's access token, in `Authorization: Bearer` or `X-API-Key`. No request is refused
 * here, because each operation declares what its caller needs. A request without a valid credential has a visitor as its
 * caller, and the visitor holds the refusal.
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
  /** A key has only these scopes, even if it was issued with more. */
  offeredScopes: readonly Scope[];
  hasApps: boolean;
  publicUrl?: string | undefined;
  refuseKey: KeyErrorOf;
}

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

function createFindKeyCaller(options: AuthenticateOptions, isOffered: IsOffered): FindCaller {
  const { models, refuseKey, publicUrl = '' } = options;
  const isAllowedFrom = createAddressCheck();
  return async function findKeyCaller(secret, { path, address }, now) {
    const { key, refusal } = await models.apiKeys.verify(secret, now);
    if (refusal) return visitorOf(refuseKey(refusal, path), key && { kind: 'key', key });
    if (!isAllowedFrom(key, address)) return visitorOf(forbiddenAddress(address), { kind: 'key', key });
    models.apiKeys.touch(key, now);
    const { _id: keyId, userId, servers = null } = key;
    const own = key.scopes.filter(isOffered);
    const scopes = own.some(isAdminScope) ? await keepScopesOfRole(own, userId, models) : own;
    return { kind: 'key', userId, keyId, scopes, servers, publicUrl, key };
  };
}

function createFindAppCaller(options: AuthenticateOptions, isOffered: IsOffered): FindCaller {
  const { models, refuseKey, publicUrl = '' } = options;
  return async function findAppCaller(token, { path }, now) {
    if (!token.startsWith(accessTokenMarker)) return visitorOf(refuseKey('unrecognized', path));
    const { scopes: held, grant, refusal } = await models.oauthTokens.verify(token, now);
    if (refusal) return visitorOf(refuseKey(refusal, path), grant && { kind: 'app', grant });
    models.oauthGrants.touch(grant, now);
    const { _id: keyId, userId } = grant;
    const scopes = held.filter(isOffered).filter((scope) => !isAdminScope(scope));
    return { kind: 'app', userId, keyId, scopes, servers: null, publicUrl, grant };
  };
}

/** Admin scopes count only while the owner has the role for them. This reads the user, so other keys skip it. */
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
 * Reads the key from either header; two different keys are refused. If the key is in X-API-Key, Authorization may
 * carry a password for a proxy in front of us.
 */
function readSecret(req: IncomingMessage): SentSecret {
  // Node keeps the first of two headers, but a proxy in front of us may read the last.
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

/** Whether the header has a scheme other than Bearer and contains none of our keys. */
const isOfProxy = (authorization: string) =>
  /^(?!bearer\b)[\w-]+ +\S/i.test(authorization) && !mayContainKey(authorization);

/** An access token, unlike a key, must be in Authorization. Generated clients repeat it in X-API-Key. */
const isBearerToken = (secret: string, req: IncomingMessage) =>
  !isKeyLike(secret) && /^bearer /i.test(headerOf({ req }, 'authorization').trim());

/** Only `rawHeaders` shows that a header was sent more than once; it holds names and values alternately. */
const isRepeated = ({ rawHeaders }: IncomingMessage, header: string) =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === header).length > 1;

/** A key's addresses never change, so they are compiled once. */
function createAddressCheck() {
  const compiled = new QuickLRU<string, ReturnType<typeof compileAddresses>>({ maxSize: 1000 });
  return ({ _id, addresses }: ApiKeyRecord, address: string): boolean => {
    if (!addresses) return true;
    const check = compiled.get(_id) ?? compileAddresses(addresses);
    compiled.set(_id, check);
    return check(address);
  };
}
