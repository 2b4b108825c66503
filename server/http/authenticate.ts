/**
 * Turns `Authorization: Bearer` or `X-API-Key`, with a key or an app's access token, into a caller, or notes why there is none.
 * It refuses no request: each operation declares what its caller needs.
 */
import type { IncomingMessage } from 'node:http';
import QuickLRU from 'quick-lru';
import { type Authenticate, anyone, type Credentials, headerOf } from '../../bridge/protocol.ts';
import { type ApiKeyRecord, keyMarker } from '../../models/api-key/store.ts';
import type { Models } from '../../models/index.ts';
import { accessTokenMarker } from '../../models/oauth/tokens.ts';
import type { Caller } from '../../routers/context.ts';
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
  refuseKey: RefuseKey;
}

/** What a request at a path is refused with for want of a caller. */
export type RefuseKey = (refusal: KeyRefusal, path: string) => ApiError;

export function createAuthenticate({
  models,
  clock,
  offeredScopes,
  hasApps,
  refuseKey,
}: AuthenticateOptions): Authenticate {
  const offered: ReadonlySet<string> = new Set(offeredScopes);
  const isOffered = (scope: string): scope is Scope => offered.has(scope);
  const isAllowedFrom = createAddressCheck();

  return async function authenticate({ req, state: { request } }): Promise<Credentials> {
    const refused = (refusal: KeyRefusal) => ({ ...anyone, keyRefusal: refuseKey(refusal, request.path) });
    const { secret, refusal } = readSecret(req);
    if (secret === null) return refused(refusal);
    const now = new Date(clock());
    if (hasApps && isBearerToken(secret, req)) return findApp(secret, { models, isOffered, refused, now });
    const verdict = await models.apiKeys.verify(secret, now);
    const knownKey = verdict.key && knownKeyOf(verdict.key);
    if (verdict.refusal)
      return { ...refused(verdict.refusal), knownKey: verdict.key && refusedKeyOf(verdict.key) };
    if (!isAllowedFrom(verdict.key, request.address))
      return { ...anyone, keyRefusal: forbiddenAddress(request.address), knownKey };
    models.apiKeys.touch(verdict.key, now);
    const found = callerOf(verdict.key, isOffered);
    const caller = found.scopes.some(isAdminScope) ? await withOwnersScopes(found, models) : found;
    return { ...anyone, caller, knownKey };
  };
}

interface FindAppDeps {
  models: Models;
  isOffered: (scope: string) => scope is Scope;
  refused: (refusal: KeyRefusal) => Credentials;
  now: Date;
}

async function findApp(
  token: string,
  { models, isOffered, refused, now }: FindAppDeps,
): Promise<Credentials> {
  if (!token.startsWith(accessTokenMarker)) return refused('unrecognized');
  const { token: found, grant, refusal } = await models.oauthTokens.verify(token, now);
  const knownGrant = grant && { id: grant._id, userId: grant.userId, clientId: grant.app.clientId };
  if (refusal) return { ...refused(refusal), knownGrant };
  models.oauthGrants.touch(grant, now);
  const caller = {
    userId: grant.userId,
    keyId: grant._id,
    scopes: found.scopes.filter(isOffered).filter((scope) => !isAdminScope(scope)),
    callsPerMinute: null,
    servers: null,
    app: { name: grant.app.name, endsAt: grant.endsAt },
  };
  return { ...anyone, caller, knownGrant };
}

const knownKeyOf = ({ _id: id, userId, servers }: ApiKeyRecord) => ({
  id,
  userId,
  isRestricted: Boolean(servers),
});

/** With its name, as calls of a key may be audited longer after its end than it is stored. */
const refusedKeyOf = (key: ApiKeyRecord) => ({
  ...knownKeyOf(key),
  refusedKey: { name: key.name, prefix: key.prefix },
});

type SentSecret = { secret: string; refusal: null } | { secret: null; refusal: KeyRefusal };

/**
 * The key of a request, from either header; two different keys identify no caller. An Authorization header for a proxy in front
 * of us, such as a password that it asks for, may stand beside X-API-Key.
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

/** Of another scheme, and without a key of ours. */
const isOfProxy = (authorization: string) =>
  /^(?!bearer\b)[\w-]+ +\S/i.test(authorization) && !authorization.includes(keyMarker);

/** Anything but a key; tokens have one header. */
const isBearerToken = (secret: string, { headers }: IncomingMessage) =>
  !secret.startsWith(keyMarker) && headers['x-api-key'] === undefined;

/** Whether a header was sent more than once, which Node shows only in `rawHeaders`. */
function isRepeated({ rawHeaders }: IncomingMessage, header: string): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isSame(rawHeaders[at] ?? '', header)) times += 1;
  return times > 1;
}

/** Compares lengths first, which differ for most names. */
const isSame = (name: string, header: string) =>
  name.length === header.length && name.toLowerCase() === header;

const callerOf = (
  { _id: keyId, userId, scopes, callsPerMinute, servers }: ApiKeyRecord,
  isOffered: (scope: string) => scope is Scope,
): Caller => ({
  userId,
  keyId,
  scopes: scopes.filter(isOffered),
  callsPerMinute: callsPerMinute ?? null,
  servers: servers ?? null,
  app: null,
});

/** Admin scopes count only while the owner has the role for them, which is looked up only for keys that have one. */
async function withOwnersScopes(caller: Caller, models: Models): Promise<Caller> {
  const owner = await models.users.find(caller.userId);
  const isHeld = (scope: Scope) => (owner ? isScopeFor(owner, scope) : !isAdminScope(scope));
  return { ...caller, scopes: caller.scopes.filter(isHeld) };
}

const compiledMax = 1000;

/** Whether a key may be used from an address; what it is restricted to never changes, and is compiled once. */
function createAddressCheck() {
  const compiled = new QuickLRU<string, ReturnType<typeof compileAddresses>>({ maxSize: compiledMax });
  return ({ _id, addresses }: ApiKeyRecord, address: string): boolean => {
    if (!addresses) return true;
    const check = compiled.get(_id) ?? compileAddresses(addresses);
    compiled.set(_id, check);
    return check(address);
  };
}
