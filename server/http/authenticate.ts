/**
 * Turns `Authorization: Bearer` or `X-API-Key` into a caller, or notes why there is none.
 * It refuses no request: each operation declares what its caller needs.
 */
import type { IncomingMessage } from 'node:http';
import { headerOf, type Middleware, type RequestContext } from '../../bridge/http/request-state.ts';
import { keyMarker } from '../../models/api-key/format.ts';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import type { Models } from '../../models/index.ts';
import type { Caller } from '../../routers/context.ts';
import type { KeyRefusal } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { isAdminScope, type Scope } from '../../routers/scopes.ts';
import { createFindApp } from '../oauth/find-app.ts';

interface AuthenticateOptions {
  models: Models;
  clock: Clock;
  /** A key has no other scope, whatever it was issued with. */
  offeredScopes: readonly Scope[];
  /** Whether apps may call with access tokens. */
  hasApps?: boolean;
}

export function createAuthenticate({
  models,
  clock,
  offeredScopes,
  hasApps = false,
}: AuthenticateOptions): Middleware {
  const offered: ReadonlySet<string> = new Set(offeredScopes);
  const isOffered = (scope: string): scope is Scope => offered.has(scope);
  const findApp = hasApps ? createFindApp(models, isOffered) : null;

  async function findCaller({ req, state }: RequestContext): Promise<void> {
    state.caller = null;
    const { secret, refusal } = readSecret(req);
    if (secret === null) {
      state.keyRefusal = refusal;
      return;
    }
    const now = new Date(clock());
    if (findApp && isBearerToken(secret, req)) return findApp(secret, state, now);
    const verdict = await models.apiKeys.verify(secret, now);
    if (verdict.key) state.knownKey = { id: verdict.key._id, userId: verdict.key.userId };
    if (verdict.refusal) {
      state.keyRefusal = verdict.refusal;
      return;
    }
    const recording = models.apiKeys.touch(verdict.key, now);
    if (recording) await recording;
    const caller = callerOf(verdict.key, isOffered);
    state.caller = caller.scopes.some(isAdminScope) ? await withOwnersScopes(caller, models) : caller;
  }
  return async function authenticate(ctx, next) {
    ctx.state.authenticate = findCaller;
    await findCaller(ctx);
    await next();
  };
}

type SentSecret = { secret: string; refusal: null } | { secret: null; refusal: KeyRefusal };

/** The key of a request, from either header; two different keys identify no caller. */
export function readSecret(req: IncomingMessage): SentSecret {
  // A proxy in front of us may read the last of two headers where Node keeps the first.
  if (isRepeated(req, 'authorization')) return { secret: null, refusal: 'conflicting' };
  const authorization = headerOf({ req }, 'authorization').trim();
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const apiKey = headerOf({ req }, 'x-api-key').trim();
  if (authorization && !bearer) return { secret: null, refusal: 'malformed' };
  if (bearer && apiKey && bearer !== apiKey) return { secret: null, refusal: 'conflicting' };
  const secret = bearer ?? apiKey;
  return secret ? { secret, refusal: null } : { secret: null, refusal: 'missing' };
}

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
  { _id: keyId, userId, scopes, callsPerMinute }: ApiKeyRecord,
  isOffered: (scope: string) => scope is Scope,
): Caller => ({
  userId,
  keyId,
  scopes: scopes.filter(isOffered),
  callsPerMinute: callsPerMinute ?? null,
  app: null,
});

/** Admin scopes count only while the owner is an administrator, which is looked up only for keys that have one. */
async function withOwnersScopes(caller: Caller, models: Models): Promise<Caller> {
  const owner = await models.users.find(caller.userId);
  if (owner?.isAdmin) return caller;
  return { ...caller, scopes: caller.scopes.filter((scope) => !isAdminScope(scope)) };
}
