/**
 * Our own router and store behind the adapters that others publish for tRPC: Koa's usual middleware, then trpc-to-openapi
 * for REST and tRPC's own node handler.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import Koa from 'koa';
import { createOpenApiKoaMiddleware, type OpenApiRouter } from 'trpc-to-openapi';
import { readOperations } from '../../../../bridge/operations.ts';
import type { Models } from '../../../../models/index.ts';
import type { Context } from '../../../../routers/context.ts';
import { appRouter } from '../../../../routers/index.ts';
import type { Panel } from '../../../../routers/panel-port.ts';
import { scopes } from '../../../../routers/scopes.ts';
import { createAccountLimits } from '../../../../server/account/account-limits.ts';
import type { Config } from '../../../../server/config.ts';
import { AuditTrail } from '../../../../server/observability/audit-trail.ts';
import { createLog } from '../../../../server/observability/log.ts';
import { openPanel } from '../../../../server/panel/open.ts';
import { securityHeaders } from './security-headers.ts';
import { callerOf } from './stock-key.ts';
import { createStockAudit, createStockLimit } from './stock-middleware.ts';

export interface StockState {
  context: Context;
}

export type StockMiddleware = Koa.Middleware<StockState>;

export async function createStockApp(config: Config, models: Models): Promise<Koa<StockState>> {
  const log = createLog(config.logLevel);
  const { panel } = await openPanel(config.panel, { clock: Date.now, log });
  const app = new Koa<StockState>();
  app.silent = true; // callers hang up in the middle of a request when a turn is over
  app.use(createContexts(models, panel));
  app.use(createStockAudit(new AuditTrail(models.auditEntries, log)));
  app.use(createStockLimit(config.rateLimitPerMinute));
  return app;
}

/** Puts tRPC's context where the middleware below finds it. */
function createContexts(models: Models, panel: Panel): StockMiddleware {
  const accountLimits = createAccountLimits();
  const callLimit = { perMinute: 0, callsLeft: async () => 0, inherit: async () => {} };
  return async (ctx, next) => {
    const requestId = ctx.get('X-Request-Id') || randomUUID();
    ctx.set(securityHeaders);
    ctx.set('X-Request-Id', requestId);
    const caller = await callerOf(models, ctx.get('Authorization').slice('Bearer '.length));
    ctx.state.context = {
      ...{ caller, requestId, models, panel, callLimit, accountLimits },
      ...{ keyRefusal: 'unknown', session: null, browser: null, clock: Date.now },
      ...{ singleSignOn: null, hasPasswordSignIn: true, hasApps: false, offeredScopes: scopes },
      openApiDocument: async () => ({ openapi: '3.1.0' }),
      baseUrl: () => '',
    };
    await next();
  };
}

/** The handlers below answer past Koa, and know a request only as Node does. */
export function createHandlers(): StockMiddleware {
  const contexts = new WeakMap<IncomingMessage, Context>();
  const createContext = ({ req }: { req: IncomingMessage }): Context => {
    const context = contexts.get(req);
    if (!context) throw new Error('The request passed no middleware');
    return context;
  };
  const statuses = new Map(readOperations(appRouter).map(({ name, status }) => [name, status]));
  const rest = createOpenApiKoaMiddleware({
    router: appRouter as unknown as OpenApiRouter, // our meta has more in it than the package's
    createContext,
    responseMeta: ({ paths, errors }) =>
      errors.length > 0 ? {} : { status: statuses.get(paths?.[0] ?? '') ?? 200 },
  });
  return async (ctx, next) => {
    contexts.set(ctx.req, ctx.state.context);
    ctx.respond = false;
    ctx.res.statusCode = 200;
    if (ctx.path.startsWith('/trpc/')) {
      const path = ctx.path.slice('/trpc/'.length);
      return nodeHTTPRequestHandler({ router: appRouter, createContext, path, req: ctx.req, res: ctx.res });
    }
    ctx.req.url = ctx.url.slice('/api/v1'.length);
    await rest(ctx, next);
  };
}
