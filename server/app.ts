/** The whole service over HTTP: what every request passes, and then the list of mounts. */
import Koa from 'koa';
import { createActivityWords } from '../bridge/activity-words.ts';
import { createDocs, descriptionPath, docsPath } from '../bridge/docs/docs.ts';
import { createMcp, createOriginCheck, mcpPath } from '../bridge/mcp/mcp.ts';
import { createServedDocument } from '../bridge/openapi/served-document.ts';
import { type Operation, readOperations, readSessionOperations } from '../bridge/operations.ts';
import { type Brand, productBrand } from '../bridge/pages/brand.ts';
import {
  type Authenticate,
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
import { createTypesFile, typesPath } from '../bridge/trpc/types-file.ts';
import { accountPageRouter } from '../routers/account/index.ts';
import type { Browser, Context } from '../routers/context.ts';
import { type KeyRefusal, keyRefusals } from '../routers/errors.ts';
import { appRouter } from '../routers/index.ts';
import { offeredScopes, type Scope } from '../routers/scopes.ts';
import { accountPrefix, accountTrpcPrefix, createAccount } from './account/account.ts';
import { createAccountLimits } from './account/account-limits.ts';
import { createBrowserOf } from './account/read-session.ts';
import { createSingleSignOn } from './account/single-sign-on.ts';
import type { AppDeps } from './app-deps.ts';
import { ActivityCounter } from './audit/activity-counter.ts';
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
  at,
  below,
  createCors,
  createDescriptionRedirect,
  createHealth,
  createRootRedirect,
  createUnknownPath,
  mount,
  nowhere,
} from './http/routes.ts';
import { createAddressLimit } from './limit/addresses.ts';
import { createAdmit } from './limit/admission.ts';
import { ByteBudget } from './limit/byte-budget.ts';
import { createLimiter, type Limiter } from './limit/limiter.ts';
import { createRateLimit } from './limit/rate-limit.ts';
import { createUnsubscribe, unsubscribePath } from './mail/unsubscribe.ts';
import { createOAuth, type OAuth } from './oauth/oauth.ts';
import type { Tracing } from './observability/tracing/create-tracing.ts';
import { createAddressRules } from './outbound/addresses.ts';
import { createServe, type Serve } from './pipeline.ts';

export function createApp({ router = appRouter, ...deps }: AppDeps) {
  const { models, clock, log, config, readiness, shared = null, metrics = null, tracing = null } = deps;
  const { publicUrl, brand = productBrand, supportEmail } = config;
  const scopes = offeredScopes(config);
  const operations = traced(readOperations(router, scopes), tracing);
  const openApiDocument = createServedDocument(router, { offered: scopes, host: { ...brand, supportEmail } });
  const { trail, close } = createAuditTrail(deps);
  const report = createReport({ log, metrics });
  const limiter = createLimiter({ clock, shared });
  const rateLimit = createRateLimit({ ...config, limiter });
  const { fetchDocument = null } = deps;
  const shown = { publicUrl, brand, offeredScopes: scopes, fetchDocument };
  const oauth = createOAuth({ models, clock, log, trail, limiter, ...shown });
  const responseBytes = new ByteBudget(config.responseBytesMax);
  const send = createSend({ publicUrl, brand, readiness, responseBytes });
  const baseUrl = (ctx: RequestContext) => publicUrl ?? baseUrlOf(ctx);
  const told = { openApiDocument, activityWords: readActivityWords(router) };
  const own = { ...told, offeredScopes: scopes, hasApps: oauth !== null, baseUrlOf: baseUrl };
  const browserOf = createBrowserOf(publicUrl);
  const contextOf = createContextOf(deps, { ...own, browserOf, limiter, callLimit: rateLimit.callLimit });
  const serve = createServe({
    admit: createAdmit({ ...config, responseBytes }),
    limitAddress: createAddressLimit({ ...config, shared }),
    rateLimit,
    runCalls: createRunCalls({ contextOf, report }),
    audit: createAudit({ trail, clock }),
    report,
    send,
  });
  const app = createKoa(config, [
    createHealth(readiness, send),
    tracing?.traceRequests ?? null,
    createLogging({ log, metrics }),
    createErrors(report, send),
    createRequireOwnHost(config),
    createMounts({ ...deps, ...own, brand, operations, oauth, serve, send }),
  ]);
  return { app, operations, close };
}

/** Also of operations that are not offered now, and were. */
const readActivityWords = (router: NonNullable<AppDeps['router']>) =>
  createActivityWords([...readOperations(router), ...readSessionOperations(accountPageRouter)]);

function createAuditTrail({ models, log }: Pick<AppDeps, 'models' | 'log'>) {
  const trail = new AuditTrail(models, log);
  const counter = new ActivityCounter(models.activityCounts, log);
  return { trail, close: () => trail.close().then(() => counter.close()) };
}

interface MountDeps extends Pick<AppDeps, 'models' | 'clock' | 'config'> {
  brand: Brand;
  offeredScopes: readonly Scope[];
  operations: Operation[];
  openApiDocument: ReturnType<typeof createServedDocument>;
  baseUrlOf: (ctx: RequestContext) => string;
  oauth: OAuth | null;
  serve: Serve;
  send: Send;
}

/** To add a protocol: a folder in bridge/ and a line here. */
function createMounts(deps: MountDeps): Middleware {
  const { models, clock, brand, operations, config, oauth, serve, send } = deps;
  const { publicUrl, rateLimitPerMinute } = config;
  const hasApps = oauth !== null;
  const refuseKey = oauth?.refuseKey ?? ((refusal: KeyRefusal) => keyRefusals[refusal]);
  const authenticate = createAuthenticate({ ...deps, hasApps, refuseKey });
  const serveApi = createServeApi(serve, authenticate);
  const servePage = (protocol: Protocol) => serve({ protocol, authenticate, isAudited: false });
  const websiteUrlOf = (ctx: RequestContext) => deps.baseUrlOf(ctx) + docsPath;
  const mcp = createMcp({ operations, brand, websiteUrlOf, isKnownOrigin: createOriginCheck(config) });
  const { securityContact = null } = config;
  const docs = createDocs({ ...deps, accountPath: accountPrefix, hasApps, securityContact });
  const account = createAccount({ models, clock, brand, offeredScopes: deps.offeredScopes, publicUrl });
  const unknownPath = serveApi(createUnknownPath({ hasApps, brand }));
  const cors = createCors(config);
  return mount(
    [docs.matches, cors, servePage(docs.protocol)],
    [below(restPrefix), cors, createRest(operations, serveApi)],
    [at(typesPath), cors, servePage(createTypesFile())],
    [below(trpcPrefix), cors, serveApi(createTrpc(operations, rateLimitPerMinute))],
    [at(mcpPath), cors, serveApi(mcp)],
    [below(accountTrpcPrefix), serve({ ...account, protocol: account.trpc, isAudited: true })],
    [at(unsubscribePath), servePage(createUnsubscribe(models, brand))],
    [below(accountPrefix), servePage(account.page)],
    oauth
      ? [oauth.matches, oauth.cors, serve({ ...oauth, authenticate: null, isAudited: false })]
      : [nowhere],
    [at('/openapi.json'), cors, createDescriptionRedirect(descriptionPath, send)],
    [at('/'), cors, createRootRedirect(docsPath, send), unknownPath],
    [anywhere, cors, unknownPath],
  );
}

const createServeApi =
  (serve: Serve, authenticate: Authenticate) =>
  <Parsed extends ParsedRequest>(protocol: Protocol<Parsed>): Middleware =>
    serve({ protocol, authenticate, isAudited: true });

const traced = (operations: Operation[], tracing: Tracing | null) =>
  tracing ? tracing.traceOperations(operations) : operations;

/** For what fails outside of the pipeline, and what Koa sends by itself, such as redirects and preflights. */
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

/** Koa, with the state that every request begins with. */
function createKoa({ trustProxy }: Pick<Config, 'trustProxy'>, chain: (Middleware | null)[]) {
  // The last address is the one our proxy saw; those before it are the client's claim.
  const app = new Koa<RequestState>({ proxy: trustProxy, maxIpsCount: 1 });
  app.use(function initState(ctx, next) {
    ctx.state = createState(ctx);
    return next();
  });
  for (const middleware of chain) if (middleware) app.use(middleware);
  app.silent = true; // every failure is reported by us; what reaches Koa is a broken connection
  return app;
}

/** Gives procedures who calls and what they may reach. */
function createContextOf(
  { models, panel, clock, log, config, readiness }: Omit<AppDeps, 'router'>,
  own: Pick<Context, 'callLimit' | 'openApiDocument' | 'activityWords' | 'offeredScopes' | 'hasApps'> & {
    limiter: Limiter;
    baseUrlOf: (ctx: RequestContext) => string;
    browserOf: (ctx: RequestContext) => Browser;
  },
): ContextOf {
  const { callLimit, openApiDocument, activityWords, offeredScopes, hasApps, limiter } = own;
  const accountLimits = createAccountLimits(limiter, config.ticketsPerDay ?? null);
  const { hasPasswordSignIn = true, signInHelp = null, identityProvider = null } = config;
  const webhookAddresses = createAddressRules(config.webhooks?.allowedAddresses ?? []);
  const keyPolicy = keyPolicyOf(config);
  const singleSignOn = createSingleSignOn(identityProvider, { log, limiter, clock });
  // Listed by hand: it is made at every call, and a spread of so many fields is expensive.
  return (ctx, caller, outcome) => ({
    caller,
    browser: () => own.browserOf(ctx),
    requestId: ctx.state.request.id,
    address: ctx.state.request.address,
    outcome,
    models,
    panel,
    clock,
    accountLimits,
    webhookAddresses,
    singleSignOn,
    offeredScopes,
    hasPasswordSignIn,
    signInHelp,
    keyPolicy,
    hasApps,
    callLimit,
    openApiDocument,
    activityWords,
    endOfWait: (seconds) => createEndOfWait(ctx, seconds, readiness.stopping),
    baseUrl: () => own.baseUrlOf(ctx),
  });
}
