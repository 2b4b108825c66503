/** Peer: tRPC's own node handler on our router and store, below Koa's usual middleware. */
import { randomUUID } from 'node:crypto';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import Koa from 'koa';
import ratelimit from 'koa-ratelimit';
import type { Models } from '../../../../models/index.ts';
import { type Caller, visitorOf } from '../../../../routers/caller.ts';
import type { Context } from '../../../../routers/context.ts';
import { keyRefusals } from '../../../../routers/errors.ts';
import { appRouter } from '../../../../routers/index.ts';
import type { Panel } from '../../../../routers/panel-port.ts';
import { Scope } from '../../../../routers/scopes.ts';
import { AuditTrail } from '../../../../server/audit/audit.ts';
import { readConfig } from '../../../../server/config.ts';
import { createLog } from '../../../../server/observability/log.ts';
import { openPanel } from '../../../../server/panel/pterodactyl.ts';
import { createAuditBatch, securityHeaders } from './common.ts';
import { openOwnModels } from './own-store.ts';

interface State {
  context: Context;
}

type Middleware = Koa.Middleware<State>;

/** Puts tRPC's context where the middleware below finds it. */
function createContexts(models: Models, panel: Panel): Middleware {
  return async (ctx, next) => {
    const requestId = ctx.get('X-Request-Id') || randomUUID();
    ctx.set(securityHeaders);
    ctx.set('X-Request-Id', requestId);
    const caller = await callerOf(models, ctx.get('Authorization').slice('Bearer '.length));
    const known = {
      caller,
      requestId,
      models,
      panel,
      clock: Date.now,
    };
    ctx.state.context = known as unknown as Context; // all that the measured procedures read
    await next();
  };
}

async function callerOf(models: Models, secret: string): Promise<Caller> {
  const now = new Date();
  const { key, refusal } = await models.apiKeys.verify(secret, now);
  if (refusal) return visitorOf(keyRefusals.unknown);
  models.apiKeys.touch(key, now);
  const isScope = (scope: string): scope is Scope => Scope.safeParse(scope).success;
  const scopes = key.scopes.filter(isScope);
  return { kind: 'key', userId: key.userId, keyId: key._id, scopes, servers: null, key };
}

/**
 * A write's entry is stored before the call is made: the handler responds before anybody behind it is asked.
 * Those of reads go in batches.
 */
function createAudit(trail: AuditTrail): Middleware {
  const addToBatch = createAuditBatch((entries) => trail.storeNow(entries));
  return async (ctx, next) => {
    const { caller, requestId } = ctx.state.context;
    if (caller.kind === 'visitor') return next();
    const { keyId, userId } = caller;
    const known = { at: new Date(), userId, keyId, address: ctx.ip, requestId, via: 'rest' as const };
    const entry = { ...known, operation: ctx.path, target: null, code: null };
    if (ctx.method === 'POST') await trail.storeNow([{ ...entry, status: 0 }]);
    await next();
    if (ctx.method !== 'POST') addToBatch({ ...entry, status: ctx.res.statusCode });
  };
}

/** Callers without a key are left to the procedures, which refuse them. */
function createLimit(max: number): Middleware {
  const options = {
    driver: 'memory' as const,
    db: new Map(),
    duration: 60_000,
    max,
    id: ({ state }: { state: { context: { caller: { keyId: string } } } }) => state.context.caller.keyId,
  };
  const limit = ratelimit(options as never) as Middleware; // its types know Koa's plain context only
  return (ctx, next) => (ctx.state.context.caller.kind === 'key' ? limit(ctx, next) : next());
}

/** It responds past Koa. */
const handle: Middleware = (ctx) => {
  ctx.respond = false;
  ctx.res.statusCode = 200;
  const path = ctx.path.slice('/trpc/'.length);
  const createContext = () => ctx.state.context;
  return nodeHTTPRequestHandler({ router: appRouter, createContext, path, req: ctx.req, res: ctx.res });
};

const config = readConfig();
const log = createLog(config.logLevel);
const models = await openOwnModels(config);
const { panel } = await openPanel(config.panel, { clock: Date.now, log });
const app = new Koa<State>();
app.silent = true; // callers hang up in the middle of a request when a turn is over
app.use(createContexts(models, panel));
app.use(createAudit(new AuditTrail(models, log)));
app.use(createLimit(config.rateLimitPerMinute));
app.use(handle);
app.listen(config.port, config.host);
