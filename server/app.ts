/** The whole service over HTTP: what every request passes, and then the list of mounts. */
import type { AnyRouter } from '@trpc/server';
import Koa from 'koa';
import { createDocs, descriptionPath, docsPath } from '../bridge/docs/docs.ts';
import type { ContextOf, Middleware, RequestState } from '../bridge/http/request-state.ts';
import { createMcp, mcpPath } from '../bridge/mcp/mcp.ts';
import { createOriginCheck } from '../bridge/mcp/origin-check.ts';
import { createServedDocument } from '../bridge/openapi/served-document.ts';
import { type Operation, readOperations } from '../bridge/operations.ts';
import { createRest, restPrefix } from '../bridge/rest/rest.ts';
import { createRunCall } from '../bridge/run-call.ts';
import { createTrpc, trpcPrefix } from '../bridge/trpc/trpc.ts';
import { createTypesFile, typesPath } from '../bridge/trpc/types-file.ts';
import type { Models } from '../models/index.ts';
import type { Context } from '../routers/context.ts';
import { appRouter } from '../routers/index.ts';
import type { Panel } from '../routers/panel-port.ts';
import type { Clock } from '../routers/ports.ts';
import { offeredScopes, type Scope } from '../routers/scopes.ts';
import { accountPrefix, accountTrpcPrefix, createAccount } from './account/account.ts';
import { createAccountLimits } from './account/account-limits.ts';
import { createSingleSignOn } from './account/single-sign-on.ts';
import type { Config } from './config.ts';
import { createAudit } from './http/audit.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { ByteBudget } from './http/byte-budget.ts';
import { createTakeTurn } from './http/caller-turns.ts';
import { createCors } from './http/cors.ts';
import { createErrors, createReport } from './http/errors.ts';
import { createHeaderLimit } from './http/header-limit.ts';
import { createHealth } from './http/health.ts';
import { createInitState } from './http/init-state.ts';
import { createLogging } from './http/logging.ts';
import { anywhere, at, below, mount } from './http/mount.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { refusePath } from './http/refuse-path.ts';
import { createRequestId } from './http/request-id.ts';
import { createDescriptionRedirect, createRootRedirect } from './http/root-redirect.ts';
import { securityHeaders } from './http/security-headers.ts';
import { createSend } from './http/send.ts';
import { createShed } from './http/shed.ts';
import { UnsentResponses } from './http/unsent-responses.ts';
import { createCounter } from './limit/create-counter.ts';
import { AuditTrail } from './observability/audit-trail.ts';
import type { Readiness } from './observability/health/readiness.ts';
import type { Log } from './observability/log.ts';
import type { Metrics } from './observability/metrics/metrics.ts';
import type { Tracing } from './observability/tracing/tracing.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import type { SharedRedis } from './redis.ts';

export interface Parts {
  models: Models;
  panel: Panel;
  clock: Clock;
  log: Log;
  /** What several processes count in together; null where there is one. */
  shared?: SharedRedis | null;
  readiness: Readiness;
  metrics?: Metrics | null;
  tracing?: Tracing | null;
  config: Pick<
    Config,
    | 'rateLimitPerMinute'
    | 'addressLimitPerMinute'
    | 'inFlightMax'
    | 'requestBytesMax'
    | 'responseBytesMax'
    | 'trustProxy'
    | 'corsOrigins'
    | 'publicUrl'
  > &
    Partial<Pick<Config, 'hasPasswordSignIn' | 'identityProvider' | 'hasConsoleCommands'>>;
  /** The operations to serve; the service's own unless a test brings others. */
  router?: AnyRouter;
}

const callTurns = { runningMax: 50, largeMax: 3, waitingMax: 500 };
/** Two, because the responses of a batch are held until it is complete. */
const batchTurns = { runningMax: 2, largeMax: 2, waitingMax: 100 };

export function createApp({ router = appRouter, ...parts }: Parts) {
  const { models, clock, log, config, readiness, shared = null, metrics = null, tracing = null } = parts;
  const { publicUrl } = config;
  const scopes = offeredScopes(config);
  const operations = traced(readOperations(router, scopes), tracing);
  const openApiDocument = createServedDocument(operations);
  const trail = new AuditTrail(models.auditEntries, log);
  const report = createReport({ log, metrics });
  const responseBytes = new ByteBudget(config.responseBytesMax);
  const unsent = new UnsentResponses(responseBytes);
  const { rateLimit, callLimit } = createRateLimit({ ...config, counter: createCounter({ clock, shared }) });
  const contextOf = createContextOf(parts, { callLimit, openApiDocument, offeredScopes: scopes });
  const { serve, servePage } = createPipeline({
    shed: createShed({ ...config, responseBytes }),
    audit: createAudit({ trail, clock }),
    rateLimit,
    runCall: createRunCall({ contextOf, takeTurn: createTakeTurn({ ...callTurns, unsent }) }),
    takeBatchTurn: createTakeTurn({ ...batchTurns, unsent }),
    report,
  });
  const common = commonHeaders(publicUrl);
  const app = createKoa(config, [
    createSend({ common, readiness, unsent }),
    createHealth(readiness),
    tracing?.traceRequests ?? null,
    createLogging({ log, metrics }),
    createErrors(report),
    createHeaderLimit(),
    createMounts({ ...parts, scopes, operations, openApiDocument }, { serve, servePage }),
  ]);
  return { app, operations, close: () => trail.close() };
}

interface MountParts extends Pick<Parts, 'models' | 'clock' | 'config'> {
  scopes: readonly Scope[];
  operations: Operation[];
  openApiDocument: ReturnType<typeof createServedDocument>;
}

/** A protocol more is a folder in bridge/ and a line here. */
function createMounts(parts: MountParts, { serve, servePage }: Pipeline): Middleware {
  const { models, clock, scopes, operations, openApiDocument, config } = parts;
  const { publicUrl, rateLimitPerMinute } = config;
  const authenticate = createAuthenticate({ models, clock, offeredScopes: scopes });
  const rest = createRest(operations);
  const trpc = createTrpc(operations, rateLimitPerMinute);
  const mcp = createMcp({ operations, isKnownOrigin: createOriginCheck(config) });
  const docs = createDocs({ rows: operations, openApiDocument, keysPath: accountPrefix });
  const account = createAccount({ models, clock, publicUrl });
  const unknownPath = serve({ ...rest, parse: refusePath }, authenticate);
  const cors = createCors(config.corsOrigins);
  return mount(
    [below(docsPath), cors, servePage(authenticate, docs)],
    [below(restPrefix), cors, serve(rest, authenticate)],
    [at(typesPath), cors, servePage(authenticate, createTypesFile())],
    [below(trpcPrefix), cors, serve(trpc, authenticate)],
    [at(mcpPath), cors, serve(mcp, authenticate)],
    [below(accountTrpcPrefix), serve(account.trpc, account.authenticate)],
    [below(accountPrefix), servePage(authenticate, account.page)],
    [at('/openapi.json'), cors, createDescriptionRedirect(descriptionPath)],
    [at('/'), cors, createRootRedirect(docsPath), unknownPath],
    [anywhere, cors, unknownPath],
  );
}

/** RFC 8631: how programs find the description. */
const Link = `<${descriptionPath}>; rel="service-desc", <${docsPath}>; rel="service-doc"`;

const commonHeaders = (publicUrl: string | undefined) => ({
  ...securityHeaders({ isHttps: publicUrl?.startsWith('https:') ?? false }),
  Link,
});

const traced = (operations: Operation[], tracing: Tracing | null) =>
  tracing ? tracing.traceOperations(operations) : operations;

/** Koa, with the state and the id that every request begins with. */
function createKoa(
  { trustProxy, publicUrl }: Pick<Config, 'trustProxy' | 'publicUrl'>,
  chain: (Middleware | null)[],
) {
  // The last address is the one our proxy saw; those before it are the client's claim.
  const app = new Koa<RequestState>({ proxy: trustProxy, maxIpsCount: 1 });
  for (const middleware of [createInitState(publicUrl), createRequestId(), ...chain])
    if (middleware) app.use(middleware);
  app.silent = true; // `errors` handles every failure; what reaches Koa is a broken connection
  return app;
}

/** Gives procedures who calls and what they may reach. */
function createContextOf(
  { models, panel, clock, log, config, shared = null }: Omit<Parts, 'router'>,
  own: Pick<Context, 'callLimit' | 'openApiDocument' | 'offeredScopes'>,
): ContextOf {
  const { callLimit, openApiDocument, offeredScopes } = own;
  const accountLimits = createAccountLimits(shared);
  const { hasPasswordSignIn = true, identityProvider } = config;
  const singleSignOn = identityProvider ? createSingleSignOn(identityProvider, log) : null;
  // Listed by hand: it is made at every call, and a spread costs a hundred times as much.
  return ({ caller, keyRefusal, session, browser, requestId, baseUrl }) => ({
    caller,
    keyRefusal,
    session,
    browser,
    requestId,
    models,
    panel,
    clock,
    accountLimits,
    singleSignOn,
    offeredScopes,
    hasPasswordSignIn,
    callLimit,
    openApiDocument,
    baseUrl,
  });
}
