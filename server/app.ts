/** The whole service over HTTP: the middleware of every request, and the list of mounts. */
import type { AnyRouter } from '@trpc/server';
import Koa from 'koa';
import { createDocs, descriptionPath, docsPath } from '../bridge/docs/docs.ts';
import { createMcp, createOriginCheck, mcpPath } from '../bridge/mcp/mcp.ts';
import { createServedDocument } from '../bridge/openapi/served-document.ts';
import { readOperations } from '../bridge/operations.ts';
import {
  type ContextOf,
  type Middleware,
  type ParsedRequest,
  type Protocol,
  type RequestContext,
  type RequestState,
  toErrorResponse,
} from '../bridge/protocol.ts';
import { createRest, restPrefix } from '../bridge/rest/rest.ts';
import { createRunCalls, type Report } from '../bridge/run-calls.ts';
import { createTrpc, trpcPrefix } from '../bridge/trpc/trpc.ts';
import type { Models } from '../models/index.ts';
import type { Context } from '../routers/context.ts';
import { type KeyRefusal, keyRefusals } from '../routers/errors.ts';
import { appRouter } from '../routers/index.ts';
import type { Panel } from '../routers/panel-port.ts';
import type { Clock } from '../routers/ports.ts';
import { selectOfferedScopes } from '../routers/scopes.ts';
import { accountPrefix, accountTrpcPrefix, createAccount } from './account/account.ts';
import { createAccountLimits } from './account/account-limits.ts';
import { createBrowserOf } from './account/read-session.ts';
import { createSingleSignOn } from './account/single-sign-on.ts';
import { AuditTrail, createAudit } from './audit/audit.ts';
import { type Config, keyPolicyOf } from './config.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { createEndOfWait } from './http/end-of-wait.ts';
import { createLogging } from './http/log.ts';
import { createRequireOwnHost } from './http/own-host.ts';
import { baseUrlOf, createState } from './http/request.ts';
import { createReport, createSend, type Send } from './http/respond.ts';
import {
  anywhere,
  atOrBelow,
  atPath,
  createCors,
  createDescriptionRedirect,
  createHealth,
  createRootRedirect,
  createUnknownPath,
  mount,
  nowhere,
} from './http/routes.ts';
import { createVisitorLimit } from './limit/addresses.ts';
import { createAdmit } from './limit/admission.ts';
import { ByteBudget } from './limit/byte-budget.ts';
import { createLimiter } from './limit/limiter.ts';
import { createRateLimit } from './limit/rate-limit.ts';
import { createUnsubscribe, unsubscribePath } from './mail/unsubscribe.ts';
import type { Fetch } from './oauth/client-metadata.ts';
import { oauthUrlsOf } from './oauth/documents.ts';
import { createOAuth, type OAuth } from './oauth/oauth.ts';
import type { Readiness } from './observability/health.ts';
import type { Log } from './observability/log.ts';
import type { Metrics } from './observability/metrics/metrics.ts';
import type { Tracing } from './observability/tracing/create-tracing.ts';
import { createAddressRules } from './outbound/addresses.ts';
import { recordSamples } from './panel/samples.ts';
import { createServe, type Serve } from './pipeline.ts';
import { createPlayers } from './players/players.ts';
import type { SharedRedis } from './redis.ts';

export interface AppDeps {
  models: Models;
  panel: Panel;
  clock: Clock;
  log: Log;
  shared: SharedRedis | null;
  readiness: Readiness;
  metrics: Metrics | null;
  tracing: Tracing | null;
  config: Config;
  router?: AnyRouter;
  /** Fetches metadata documents of apps. If null, they come from public addresses only; tests serve their own. */
  fetchDocument?: Fetch | null;
}

export function createApp({ fetchDocument = null, ...deps }: AppDeps) {
  const { models, clock, log, config, readiness, tracing } = deps;
  const serviceDeps = createServiceDeps(deps);
  const trail = new AuditTrail(models, log);
  const report = createReport(deps);
  const rateLimit = createRateLimit({ ...config, ...serviceDeps });
  const oauth = createOAuth({ ...serviceDeps, trail, fetchDocument });
  const hasApps = oauth !== null;
  const responseBytes = new ByteBudget(config.responseBytesMax);
  const send = createSend({ ...serviceDeps, responseBytes });
  const serve = createServe({
    admit: createAdmit({ ...config, clock, responseBytes }),
    limitVisitor: createVisitorLimit({ ...config, ...deps }),
    rateLimit,
    runCalls: createRunCalls({
      claims: models.idempotencyRecords,
      contextOf: createContextOf({ ...serviceDeps, hasApps, callLimit: rateLimit.callLimit }),
      report,
    }),
    audit: createAudit({ trail, clock }),
    report,
    send,
  });
  const app = createKoa(config, [
    createHealth(readiness, send),
    tracing?.traceRequests ?? null,
    createLogging(deps),
    createErrors(report, send),
    createRequireOwnHost(config),
    createMounts({ ...serviceDeps, hasApps, oauth, serve, send }),
  ]);
  return { app, operations: serviceDeps.operations, close: () => trail.close() };
}

type ServiceDeps = ReturnType<typeof createServiceDeps> & { hasApps: boolean };

function createServiceDeps({ router = appRouter, ...deps }: AppDeps) {
  const { publicUrl, brand, supportEmail } = deps.config;
  const offered = selectOfferedScopes(deps.config);
  const operations = readOperations(router, offered);
  return {
    ...deps,
    publicUrl,
    brand,
    offeredScopes: offered,
    limiter: createLimiter(deps),
    operations: deps.tracing?.traceOperations(operations) ?? operations,
    openApiDocument: createServedDocument(router, {
      offeredScopes: offered,
      publicUrl,
      oauth: oauthUrlsOf(publicUrl),
      host: { ...brand, supportEmail },
    }),
    baseUrlOf: (ctx: RequestContext) => publicUrl ?? baseUrlOf(ctx),
  };
}

/** A new protocol needs a folder in bridge/ and a line here. */
function createMounts(deps: ServiceDeps & { oauth: OAuth | null; serve: Serve; send: Send }): Middleware {
  const { models, brand, operations, config, oauth, hasApps, serve, send } = deps;
  const refuseKey = oauth?.refuseKey ?? ((refusal: KeyRefusal) => keyRefusals[refusal]);
  const authenticate = createAuthenticate({ ...deps, refuseKey });
  const serveApi = <Parsed extends ParsedRequest>(protocol: Protocol<Parsed>) =>
    serve({ protocol, authenticate, isAudited: true });
  const servePage = (protocol: Protocol) => serve({ protocol, authenticate, isAudited: false });
  const websiteUrlOf = (ctx: RequestContext) => deps.baseUrlOf(ctx) + docsPath;
  const mcp = createMcp({ operations, brand, websiteUrlOf, isKnownOrigin: createOriginCheck(config) });
  const { securityContact, contentSignal } = config;
  const docs = createDocs({ ...deps, accountPath: accountPrefix, securityContact, contentSignal });
  const account = createAccount(deps);
  const unknownPath = serveApi(createUnknownPath({ hasApps, brand }));
  const cors = createCors(config);
  return mount(
    [docs.matches, cors, servePage(docs.protocol)],
    [atOrBelow(restPrefix), cors, createRest(operations, serveApi)],
    [atOrBelow(trpcPrefix), cors, serveApi(createTrpc(operations, config.rateLimitPerMinute))],
    [atPath(mcpPath), cors, serveApi(mcp)],
    [atOrBelow(accountTrpcPrefix), serve({ ...account, protocol: account.trpc, isAudited: true })],
    [atPath(unsubscribePath), servePage(createUnsubscribe(models, brand))],
    [atOrBelow(accountPrefix), servePage(account.page)],
    oauth
      ? [oauth.matches, oauth.cors, serve({ ...oauth, authenticate: null, isAudited: false })]
      : [nowhere],
    [atPath('/openapi.json'), cors, createDescriptionRedirect(descriptionPath, send)],
    [atPath('/'), cors, createRootRedirect(docsPath, send), unknownPath],
    [anywhere, cors, unknownPath],
  );
}

/** Answers failures outside the pipeline, and sends the responses that Koa prepares, such as redirects and preflights. */
const createErrors = (report: Report, send: Send): Middleware =>
  async function errors(ctx, next) {
    try {
      await next();
      if (ctx.respond !== false && !ctx.res.hasHeader('X-Request-Id')) send(ctx, null);
    } catch (failure) {
      report(failure, ctx, ctx.state.record.protocol);
      const { body, ...response } = toErrorResponse(failure);
      send(ctx, { ...response, json: JSON.stringify(body) });
    }
  };

function createKoa({ trustProxy }: Pick<Config, 'trustProxy'>, chain: (Middleware | null)[]) {
  // Only the last address in X-Forwarded-For comes from our proxy; the client may have written the others.
  const app = new Koa<RequestState>({ proxy: trustProxy, maxIpsCount: 1 });
  app.use(function initState(ctx, next) {
    ctx.state = createState(ctx);
    return next();
  });
  for (const middleware of chain) if (middleware) app.use(middleware);
  app.silent = true; // we report every failure ourselves; only broken connections reach Koa
  return app;
}

function createRecordedPorts({ clock, panel, config }: ServiceDeps) {
  const players = createPlayers({ clock, panel, ...config.players });
  return recordSamples({ clock, panel, players });
}

function createContextOf(deps: ServiceDeps & Pick<Context, 'callLimit'>): ContextOf {
  const { models, clock, config, readiness, limiter } = deps;
  const { callLimit, openApiDocument, offeredScopes, hasApps } = deps;
  const accountLimits = createAccountLimits(limiter, config.ticketsPerDay);
  const { hasPasswordSignIn, signInHelp, fileSources } = config;
  const hostName = config.brand.name;
  const webhookAddresses = createAddressRules(config.webhooks.allowedAddresses);
  const keyPolicy = keyPolicyOf(config);
  const { panel, players, samples } = createRecordedPorts(deps);
  const singleSignOn = createSingleSignOn(config.identityProvider, deps);
  const browserOf = createBrowserOf(config.publicUrl);
  // The fields are listed one by one: every call makes a context, and spreading this many fields is expensive.
  return (ctx, caller, outcome) => ({
    caller,
    browser: () => browserOf(ctx),
    requestId: ctx.state.request.id,
    address: ctx.state.request.address,
    outcome,
    models,
    panel,
    players,
    samples,
    clock,
    accountLimits,
    webhookAddresses,
    fileSources,
    singleSignOn,
    offeredScopes,
    hasPasswordSignIn,
    signInHelp,
    hostName,
    keyPolicy,
    hasApps,
    callLimit,
    openApiDocument,
    endOfWait: (seconds) => createEndOfWait(ctx, seconds, readiness.stopping),
    baseUrl: () => deps.baseUrlOf(ctx),
  });
}
