/**
 * Turns `Authorization: Bearer` or `X-API-Key` into a caller, or notes why there is none.
 * It decides nothing: what a caller may do is said by each procedure.
 */
import type { IncomingMessage } from 'node:http';
import { headerOf, type Middleware, type RequestContext } from '../../bridge/request-state.ts';
import type { ApiKeyRecord } from '../../models/api-key.ts';
import type { Models } from '../../models/index.ts';
import type { Caller } from '../../routers/context.ts';
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
      const caller = callerOf(verdict.key);
      ctx.state.caller = caller.scopes.some(isAdminScope) ? await asTheOwnerIs(caller, models) : caller;
    }
    await next();
  };
}

type SentSecret = { secret: string; refusal: null } | { secret: null; refusal: KeyRefusal };

/** The key of a request, from either header; two different keys name nobody. */
function readSecret(ctx: RequestContext): SentSecret {
  // Whoever stands before us may read the last of two where Node keeps the first.
  if (isTwofold(ctx.req, 'authorization')) return { secret: null, refusal: 'conflicting' };
  const authorization = headerOf(ctx, 'authorization').trim();
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const apiKey = headerOf(ctx, 'x-api-key').trim();
  if (authorization && !bearer) return { secret: null, refusal: 'malformed' };
  if (bearer && apiKey && bearer !== apiKey) return { secret: null, refusal: 'conflicting' };
  const secret = bearer ?? apiKey;
  return secret ? { secret, refusal: null } : { secret: null, refusal: 'missing' };
}

/** Whether a header was sent twice: Node keeps the first of some, and tells of both only here. */
function isTwofold({ rawHeaders }: IncomingMessage, header: string): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isSame(rawHeaders[at] ?? '', header)) times += 1;
  return times > 1;
}

/** Most names have another length, which is told at once. */
const isSame = (name: string, header: string) =>
  name.length === header.length && name.toLowerCase() === header;

const callerOf = ({ _id: keyId, userId, scopes }: ApiKeyRecord): Caller => ({
  userId,
  keyId,
  scopes: scopes.filter(isScope),
});

/** Admin scopes count only while the owner is an administrator, which is asked only of keys that have one. */
async function asTheOwnerIs(caller: Caller, models: Models): Promise<Caller> {
  const owner = await models.users.find(caller.userId);
  if (owner?.isAdmin) return caller;
  return { ...caller, scopes: caller.scopes.filter((scope) => !isAdminScope(scope)) };
}
