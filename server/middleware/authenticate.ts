/**
 * Turns `Authorization: Bearer` or `X-API-Key` into a caller, or notes why there is none.
 * It decides nothing: what a caller may do is said by each procedure.
 */
import type { IncomingMessage } from 'node:http';
import type { Middleware, RequestContext } from '../../bridge/request-state.ts';
import type { ApiKeyRecord } from '../../models/api-key.ts';
import type { Models } from '../../models/index.ts';
import type { KeyRefusal } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { isAdminScope, isScope } from '../../routers/scopes.ts';

export function createAuthenticate({ models, clock }: { models: Models; clock: Clock }): Middleware {
  return async function authenticate(ctx, next) {
    const { secret, refusal } = readSecret(ctx);
    if (secret === null) {
      ctx.state.keyRefusal = refusal;
      return next();
    }
    const now = new Date(clock());
    const verdict = await models.apiKeys.verify(secret, now);
    if (verdict.key) ctx.state.knownKey = { id: verdict.key._id, userId: verdict.key.userId };
    if (verdict.refusal) ctx.state.keyRefusal = verdict.refusal;
    else {
      await models.apiKeys.noteUse(verdict.key, now);
      ctx.state.caller = await callerOf(verdict.key, models);
    }
    await next();
  };
}

type SentSecret = { secret: string; refusal: null } | { secret: null; refusal: KeyRefusal };

/** The key of a request, from either header; two different keys name nobody. */
function readSecret(ctx: RequestContext): SentSecret {
  // Whoever stands before us may read the last of two where Node keeps the first.
  if (isTwofold(ctx.req, 'authorization')) return { secret: null, refusal: 'conflicting' };
  const authorization = ctx.get('Authorization').trim();
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const apiKey = ctx.get('X-API-Key').trim();
  if (authorization && !bearer) return { secret: null, refusal: 'malformed' };
  if (bearer && apiKey && bearer !== apiKey) return { secret: null, refusal: 'conflicting' };
  const secret = bearer ?? apiKey;
  return secret ? { secret, refusal: null } : { secret: null, refusal: 'missing' };
}

/** Whether a header was sent twice: Node keeps the first of some, and tells of both only here. */
const isTwofold = ({ rawHeaders }: IncomingMessage, header: string) =>
  rawHeaders.filter((name, index) => index % 2 === 0 && isSame(name, header)).length > 1;

/** Most names have another length, which is told at once. */
const isSame = (name: string, header: string) =>
  name.length === header.length && name.toLowerCase() === header;

/** Admin scopes count only while the owner is an administrator, which is asked only of keys that have one. */
async function callerOf(key: ApiKeyRecord, models: Models) {
  const granted = key.scopes.filter(isScope);
  const isAdmin = granted.some(isAdminScope) && (await models.users.find(key.userId))?.isAdmin === true;
  const scopes = granted.filter((scope) => isAdmin || !isAdminScope(scope));
  return { userId: key.userId, keyId: key._id, scopes };
}
