/**
 * The authorization server: apps and agents sign their users in by themselves (OAuth 2.1), and receive tokens instead of
 * keys. It is on where PUBLIC_URL is https. The account page asks the user; the library does the rest.
 */
import cors from '@koa/cors';
import koaCompose from 'koa-compose';
import type { Brand } from '../../bridge/pages/brand.ts';
import {
  type AdmittedRequest,
  createPageProtocol,
  type Middleware,
  noCalls,
  type Protocol,
  type RequestContext,
} from '../../bridge/protocol.ts';
import type { Models } from '../../models/index.ts';
import { hourSeconds, minuteSeconds } from '../../models/support/durations.ts';
import { notFound } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { grantableScopes, type Scope } from '../../routers/scopes.ts';
import { lazy } from '../../routers/support/memoize.ts';
import { createCookie, sessionCookie } from '../account/read-session.ts';
import type { AuditTrail } from '../audit/audit.ts';
import type { RefuseKey } from '../http/authenticate.ts';
import { createCountAddress } from '../limit/addresses.ts';
import type { Limiter } from '../limit/limiter.ts';
import type { Log } from '../observability/log.ts';
import type { Fetch } from './client-metadata.ts';
import {
  createRefuseKey,
  createRespondDocument,
  documentPaths,
  issuerOf,
  oauthPaths,
  resumedRequestId,
} from './documents.ts';
import { formatOAuthError, logRefusal, respondErrorPage, showErrors } from './errors.ts';
import { loadProvider } from './provider.ts';
import { createAccept, pinOrigin } from './requests.ts';

interface OAuthDeps {
  models: Models;
  clock: Clock;
  log: Log;
  trail: Pick<AuditTrail, 'storeNow'>;
  limiter: Limiter;
  publicUrl: string | undefined;
  brand: Brand;
  offeredScopes: readonly Scope[];
  /** In place of fetching from public addresses. */
  fetchDocument: Fetch | null;
}

export interface OAuth {
  matches: (path: string) => boolean;
  protocol: Protocol;
  cors: Middleware;
  refuseKey: RefuseKey;
}

/** What is done at a path: the address is limited, the request is accepted, and then responded to. */
interface Route {
  limit: ((ctx: RequestContext) => Promise<void>) | null;
  /** Turns the request into what the library takes, or refuses it. */
  accept: ((request: AdmittedRequest) => Promise<void> | void) | null;
  respond: Protocol['respond'];
  /** Whether pages of any origin may call. */
  isOpen: boolean;
}

/** Null where it is off. */
export function createOAuth({ publicUrl, offeredScopes, limiter, ...deps }: OAuthDeps): OAuth | null {
  const issuer = issuerOf(publicUrl);
  if (issuer === null) return null;
  const scopes = grantableScopes(offeredScopes);
  const respond = createRespondByLibrary({ ...deps, limiter, issuer, scopes });
  const accept = createAccept(issuer, scopes);
  const limit = createLimits(limiter);
  const acceptRegistration = createAcceptRegistration(deps, accept.registration, limit.register);
  const requireAnsweringSession = createRequireAnsweringSession({ ...deps, issuer });
  const respondDocument = createRespondDocument({ issuer, scopes, hostName: deps.brand.name });
  const document: Route = { limit: null, accept: null, isOpen: true, respond: respondDocument };
  const respondInSession: Protocol['respond'] = async (ctx, ...rest) =>
    (await requireAnsweringSession(ctx)) ? respond(ctx, ...rest) : null;
  const resume: Route = { limit: limit.resume, accept: null, isOpen: false, respond: respondInSession };
  const routes = new Map<string, Route>([
    ...documentPaths.map((path) => [path, document] as const),
    [
      oauthPaths.authorize,
      {
        limit: limit.authorize,
        accept: accept.authorization,
        isOpen: false,
        respond: showingErrors(respond, deps.brand),
      },
    ],
    [oauthPaths.token, { limit: limit.token, accept: accept.token, isOpen: true, respond }],
    [oauthPaths.revoke, { limit: limit.token, accept: accept.form, isOpen: true, respond }],
    [oauthPaths.register, { limit: null, accept: acceptRegistration, isOpen: true, respond }],
  ]);
  const find = (path: string) => routes.get(path) ?? (resumedRequestId(path) === null ? null : resume);
  return {
    refuseKey: createRefuseKey(issuer),
    matches: (path) => find(path) !== null,
    cors: (ctx, next) => (find(ctx.state.request.path)?.isOpen ? allowAnyOrigin(ctx, next) : next()),
    protocol: createOAuthProtocol((path) => find(path) ?? document, deps.log),
  };
}

const showingErrors =
  (respond: Protocol['respond'], brand: Brand): Protocol['respond'] =>
  async (ctx, ...rest) => {
    await respond(ctx, ...rest);
    return showErrors(ctx, brand);
  };

/** Counts new registrations. One that is known is answered whoever asks, as many agents share an address. */
const createAcceptRegistration =
  (
    { models, clock }: Pick<OAuthDeps, 'models' | 'clock'>,
    accept: (request: AdmittedRequest) => Promise<string | null>,
    countNew: (ctx: RequestContext) => Promise<void>,
  ) =>
  async (request: AdmittedRequest): Promise<void> => {
    const clientId = await accept(request);
    const known = clientId && (await models.oauthClients.find(clientId, new Date(clock())));
    if (!known) await countNew(request.ctx);
  };

/** It calls no operation of the API: everything is the route's. */
const createOAuthProtocol = (routeOf: (path: string) => Route, log: Log): Protocol => ({
  ...createPageProtocol((ctx) => Promise.resolve(routeOf(ctx.state.request.path).respond(ctx, noCalls, []))),
  name: 'oauth',
  formatError(failure, request) {
    const response = formatOAuthError(failure);
    logRefusal(log, request, response.body);
    return response;
  },
  async parse(request) {
    const { limit, accept } = routeOf(request.ctx.state.request.path);
    await limit?.(request.ctx);
    await accept?.(request);
    return noCalls;
  },
});

function createRespondByLibrary(deps: Parameters<typeof loadProvider>[0]): Protocol['respond'] {
  const compose = lazy(async () => koaCompose((await loadProvider(deps)).middleware as Middleware[]));
  return async function respondByLibrary(ctx) {
    const library = await compose();
    pinOrigin(ctx, deps.issuer);
    // Where an app sends an API key with every request, it is not meant for this.
    if (/^bearer /i.test(ctx.req.headers.authorization ?? '')) delete ctx.req.headers.authorization;
    await library(ctx, async () => {});
    if (ctx.status === 404 && ctx.body == null) throw notFound('Page');
    return null;
  };
}

interface AnsweringSessionDeps {
  models: Models;
  clock: Clock;
  issuer: string;
  brand: Brand;
}

/**
 * Lets an answered request go on only in the session that answered it: the browser that began it may be another person's,
 * and its user may have signed out, or been suspended, since. Resolves to whether it may; otherwise the response is made.
 */
function createRequireAnsweringSession({
  models,
  clock,
  issuer,
  brand,
}: AnsweringSessionDeps): (ctx: RequestContext) => Promise<boolean> {
  const isHttps = issuer.startsWith('https:');
  async function isAnsweringSession(ctx: RequestContext): Promise<boolean> {
    const now = new Date(clock());
    const request = await models.oauthRequests.find(resumedRequestId(ctx.state.request.path) ?? '', now);
    const token = createCookie(ctx, { name: sessionCookie, isHttps }).value;
    if (!request?.answer || !token) return false;
    return (await models.sessions.verify(token, now))?.id === request.answer.sessionId;
  }
  return async function requireAnsweringSession(ctx) {
    if (await isAnsweringSession(ctx)) return true;
    ctx.status = 400;
    const error_description = 'The request has expired, or was answered in another session';
    respondErrorPage(ctx, { error: 'invalid_request', error_description }, brand);
    return false;
  };
}

/** Limits what an address may ask of the authorization server, whose callers have no key and no session. */
function createLimits(limiter: Limiter) {
  function limit(name: string, max: number, seconds: number) {
    const countAddress = createCountAddress(limiter, { name: `oauth:${name}`, max, seconds });
    return async ({ state: { request } }: RequestContext): Promise<void> => {
      if (request.method !== 'OPTIONS') await countAddress(request.address);
    };
  }
  return {
    authorize: limit('authorize', 30, minuteSeconds),
    resume: limit('resume', 60, minuteSeconds),
    token: limit('token', 60, minuteSeconds),
    register: limit('register', 10, hourSeconds),
  };
}

/** Lets apps that run in a browser, of any origin, read the documents and obtain tokens; cookies count for nothing here. */
const allowAnyOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'MCP-Protocol-Version'],
  exposeHeaders: ['Retry-After', 'WWW-Authenticate'],
  maxAge: 600,
  keepHeadersOnError: true,
}) as Middleware; // its types know Koa's plain context only
