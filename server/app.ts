/** The whole service over HTTP. The order below is the story of a request. */
import type { AnyRouter } from '@trpc/server';
import Koa from 'koa';
import { type Row, readCatalogue } from '../bridge/catalogue.ts';
import { createDocs, docsPath } from '../bridge/docs.ts';
import { createOriginCheck } from '../bridge/mcp/origin.ts';
import { createMcp, mcpPath } from '../bridge/mcp.ts';
import { whenAsked } from '../bridge/pages/when-asked.ts';
import type { ContextOf, Middleware, RequestState } from '../bridge/request-state.ts';
import { createRest, restPrefix } from '../bridge/rest.ts';
import { createRpc, rpcPrefix } from '../bridge/rpc.ts';
import type { Models } from '../models/index.ts';
import type { Context } from '../routers/context.ts';
import { appRouter } from '../routers/index.ts';
import type { Clock, Panel } from '../routers/ports.ts';
import { accountPrefix, createAccount } from './account/account.ts';
import { createSignInThrottle } from './account/sign-in-throttle.ts';
import { AuditTrail } from './audit-trail.ts';
import type { Config } from './config.ts';
import type { Readiness } from './health/readiness.ts';
import { createCounter } from './limit/create-counter.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { createAudit } from './middleware/audit.ts';
import { createAuthenticate } from './middleware/authenticate.ts';
import { createCrossOrigin } from './middleware/cross-origin.ts';
import { createFailures, createReport } from './middleware/failures.ts';
import { createFrontDoor } from './middleware/front-door.ts';
import { createHealth } from './middleware/health.ts';
import { createObserve } from './middleware/observe.ts';
import { createRateLimits } from './middleware/rate-limit.ts';
import { createRequestId } from './middleware/request-id.ts';
import { anywhere, at, below, createRoads, inTurn } from './middleware/roads.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { createSend } from './middleware/send.ts';
import { createShed } from './middleware/shed.ts';
import { createStart } from './middleware/start.ts';
import type { SharedRedis } from './redis.ts';
import type { Tracing } from './tracing/tracing.ts';

export interface Parts {
  models: Models;
  panel: Panel;
  clock: Clock;
  log: Log;
  /** What this process counts in together with others; without it, it counts alone. */
  shared?: SharedRedis | null;
  readiness: Readiness;
  /** Null where nobody asks for them. */
  metrics?: Metrics | null;
  tracing?: Tracing | null;
  config: Pick<Config, 'rateLimitPerMinute' | 'inFlightMax' | 'trustProxy' | 'corsOrigins' | 'publicUrl'>;
  /** The operations to serve; the service's own unless a test brings others. */
  router?: AnyRouter;
}

export function createApp({ router = appRouter, ...parts }: Parts) {
  const { models, clock, log, config, readiness, shared = null, metrics = null, tracing = null } = parts;
  const rows = readRows(router, tracing);
  const { rateLimitPerMinute: callsPerMinute, publicUrl } = config;
  const openApiDocument = whenAsked(() => describeApi(router, rows, publicUrl));
  const trail = new AuditTrail(models.auditEntries, log);
  const counter = createCounter({ clock, shared });
  const { limitCalls, limitMessages, limitVisits, callLimit } = createRateLimits(counter, callsPerMinute);
  const contextOf = createContextOf(parts, { callLimit, openApiDocument });
  const report = createReport({ log, metrics });
  const audit = createAudit({ trail, clock });
  const authenticate = createAuthenticate({ models, clock });
  const keyed = inTurn(audit, authenticate, limitCalls);
  const rest = createRest({ rows, contextOf, keyed });
  const { rpcDoor, rpc } = createRpc({ rows, contextOf, report, callsPerMinute });
  const isKnownOrigin = createOriginCheck(config);
  const mcp = createMcp({ rows, contextOf, report, limitCalls, limitMessages, isKnownOrigin });
  const account = createAccount({ models, clock, publicUrl, audit, limitVisits, contextOf, report });
  const docs = createDocs({ rows, openApiDocument, publicUrl, keysPath: accountPrefix });
  const crossOrigin = createCrossOrigin(config.corsOrigins);
  const shed = createShed(config);

  const app = createKoa(config, [
    createSend(securityHeaders({ isHttps: publicUrl?.startsWith('https:') ?? false }), readiness),
    createHealth(readiness),
    tracing?.traceRequests ?? null,
    createObserve({ log, metrics }),
    createFailures(report),
    createRoads(
      [below(docsPath), crossOrigin, shed, docs],
      [below(restPrefix), crossOrigin, shed, rest],
      [below(rpcPrefix), crossOrigin, rpcDoor, shed, keyed, rpc],
      [at(mcpPath), crossOrigin, shed, audit, authenticate, mcp],
      [below(accountPrefix), shed, account],
      [at('/'), crossOrigin, shed, createFrontDoor(docsPath), keyed],
      [anywhere, crossOrigin, shed, keyed],
    ),
  ]);
  return { app, rows, close: () => trail.close() };
}

/** What makes the description takes as long to load as most of the service, so a start does not wait for it. */
async function describeApi(router: AnyRouter, rows: Row[], publicUrl?: string) {
  const { createOpenApiDocument } = await import('../bridge/openapi.ts');
  return Object.freeze(createOpenApiDocument(router, rows, publicUrl));
}

function readRows(router: AnyRouter, tracing: Tracing | null): Row[] {
  const rows = readCatalogue(router);
  return tracing ? tracing.traceRows(rows) : rows;
}

/** Koa, with the state and the id that every request begins with, and who stands along its road after that. */
function createKoa({ trustProxy }: Pick<Config, 'trustProxy'>, along: (Middleware | null)[]) {
  // The last address is what our proxy saw; those before it are what the caller told the proxy.
  const app = new Koa<RequestState>({ proxy: trustProxy, maxIpsCount: 1 });
  for (const middleware of [createStart(), createRequestId(), ...along]) if (middleware) app.use(middleware);
  app.silent = true; // `failures` has the last word on errors; what reaches Koa is a broken connection
  return app;
}

/** Gives procedures who calls and what they may reach. */
function createContextOf(
  { models, panel, clock, shared = null }: Omit<Parts, 'router'>,
  own: Pick<Context, 'callLimit' | 'openApiDocument'>,
): ContextOf {
  const { callLimit, openApiDocument } = own;
  const signInThrottle = createSignInThrottle(shared);
  // Written out, as it is made at every call, and what is spread costs a hundred times as much.
  return ({ caller, keyRefusal, session, browser, requestId }) => ({
    caller,
    keyRefusal,
    session,
    browser,
    requestId,
    models,
    panel,
    clock,
    signInThrottle,
    callLimit,
    openApiDocument,
  });
}
