/** The whole service over HTTP: what every request passes, and then the list of mounts. */
import Koa from 'koa';
import { createDocs, descriptionPath, docsPath } from '../bridge/docs/docs.ts';
import type { Middleware, RequestState } from '../bridge/http/request-state.ts';
import { createMcp, mcpPath } from '../bridge/mcp/mcp.ts';
import { createOriginCheck } from '../bridge/mcp/origin-check.ts';
import { createServedDocument } from '../bridge/openapi/served-document.ts';
import { type Operation, readOperations } from '../bridge/operations.ts';
import { createRest, restPrefix } from '../bridge/rest/rest.ts';
import { createRunCall } from '../bridge/run-call.ts';
import { createTrpc, trpcPrefix } from '../bridge/trpc/trpc.ts';
import { createTypesFile, typesPath } from '../bridge/trpc/types-file.ts';
import { appRouter } from '../routers/index.ts';
import { offeredScopes, type Scope } from '../routers/scopes.ts';
import { accountPrefix, accountTrpcPrefix, createAccount } from './account/account.ts';
import type { Config } from './config.ts';
import { createContextOf } from './context-of.ts';
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
import { anywhere, at, below, mount, nowhere } from './http/mount.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createRefusePath } from './http/refuse-path.ts';
import { createDescriptionRedirect, createRootRedirect } from './http/root-redirect.ts';
import { securityHeaders } from './http/security-headers.ts';
import { createSend } from './http/send.ts';
import { createShed } from './http/shed.ts';
import { createTakeEarly } from './http/take-early.ts';
import { UnsentResponses } from './http/unsent-responses.ts';
import { createCounter } from './limit/create-counter.ts';
import { oauthProtocol } from './oauth/format-error.ts';
import { createOAuth, type OAuth } from './oauth/oauth.ts';
import { AuditTrail } from './observability/audit-trail.ts';
import type { Tracing } from './observability/tracing/tracing.ts';
import type { Parts } from './parts.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';

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
  const { rateLimit, callLimit, ...early } = createRateLimit({
    ...config,
    counter: createCounter({ clock, shared }),
  });
  const { fetchDocument = null } = parts;
  const oauth = createOAuth({ models, clock, log, shared, publicUrl, offeredScopes: scopes, fetchDocument });
  const own = { callLimit, openApiDocument, offeredScopes: scopes, hasApps: oauth !== null };
  const contextOf = createContextOf(parts, own);
  const pipeline = createPipeline({
    shed: createShed({ ...config, responseBytes }),
    audit: createAudit({ trail, clock }),
    rateLimit,
    takeEarly: shared && createTakeEarly(models, early),
    runCall: createRunCall({ contextOf, takeTurn: createTakeTurn({ ...callTurns, unsent }) }),
    takeBatchTurn: createTakeTurn({ ...batchTurns, unsent }),
    report,
  });
  const app = createKoa(config, [
    createSend({ common: commonHeaders(publicUrl), readiness, unsent }),
    createHealth(readiness),
    oauth?.challenge ?? null,
    tracing?.traceRequests ?? null,
    createLogging({ log, metrics }),
    createErrors(report),
    createHeaderLimit(),
    createMounts({ ...parts, scopes, operations, openApiDocument, oauth }, pipeline),
  ]);
  return { app, operations, close: () => trail.close() };
}

interface MountParts extends Pick<Parts, 'models' | 'clock' | 'config'> {
  scopes: readonly Scope[];
  operations: Operation[];
  openApiDocument: ReturnType<typeof createServedDocument>;
  oauth: OAuth | null;
}

/** A protocol more is a folder in bridge/ and a line here. */
function createMounts(parts: MountParts, { serve, servePage, serveOther }: Pipeline): Middleware {
  const { models, clock, scopes, operations, openApiDocument, config, oauth } = parts;
  const { publicUrl, rateLimitPerMinute } = config;
  const hasApps = oauth !== null;
  const authenticate = createAuthenticate({ models, clock, offeredScopes: scopes, hasApps });
  const rest = createRest(operations);
  const trpc = createTrpc(operations, rateLimitPerMinute);
  const mcp = createMcp({ operations, isKnownOrigin: createOriginCheck(config) });
  const docs = createDocs({ rows: operations, openApiDocument, keysPath: accountPrefix, hasApps });
  const account = createAccount({ models, clock, publicUrl });
  const unknownPath = serve({ ...rest, parse: createRefusePath({ hasApps }) }, authenticate);
  const cors = createCors(config.corsOrigins);
  return mount(
    [below(docsPath), cors, servePage(authenticate, docs)],
    [below(restPrefix), cors, serve(rest, authenticate)],
    [at(typesPath), cors, servePage(authenticate, createTypesFile())],
    [below(trpcPrefix), cors, serve(trpc, authenticate)],
    [at(mcpPath), cors, serve(mcp, authenticate)],
    [below(accountTrpcPrefix), serve(account.trpc, account.authenticate)],
    [below(accountPrefix), servePage(authenticate, account.page)],
    [oauth?.matches ?? nowhere, oauth && serveOther(oauthProtocol, oauth.middleware)],
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

/** Koa, with the state that every request begins with. */
function createKoa(
  { trustProxy, publicUrl }: Pick<Config, 'trustProxy' | 'publicUrl'>,
  chain: (Middleware | null)[],
) {
  // The last address is the one our proxy saw; those before it are the client's claim.
  const app = new Koa<RequestState>({ proxy: trustProxy, maxIpsCount: 1 });
  for (const middleware of [createInitState(publicUrl), ...chain]) if (middleware) app.use(middleware);
  app.silent = true; // `errors` handles every failure; what reaches Koa is a broken connection
  return app;
}
