/**
 * The first mount that matches a request's path serves the request, and the middleware of the other mounts does not run.
 * Probes and redirects are here too, because they bypass the pipeline.
 */
import cors from '@koa/cors';
import koaCompose from 'koa-compose';
import type { Brand } from '../../bridge/pages/brand.ts';
import {
  createPageProtocol,
  type Middleware,
  noCalls,
  oneCall,
  type Protocol,
  type RequestContext,
  type Response,
} from '../../bridge/protocol.ts';
import type { Caller } from '../../routers/caller.ts';
import { ApiError, notFound } from '../../routers/errors.ts';
import { accountPrefix } from '../account/account.ts';
import { isLoopback } from '../loopback.ts';
import type { Readiness } from '../observability/health.ts';
import { respondNotFound, wantsPage } from './notice-page.ts';
import type { Send } from './respond.ts';

type Matches = (path: string) => boolean;

type Chain = (Middleware | null)[];

export function mount(...mounts: [matches: Matches, ...chain: Chain][]): Middleware {
  const composed = mounts.map(([matches, ...chain]) => ({
    matches,
    handle: koaCompose(chain.filter((middleware) => middleware !== null)),
  }));
  return function mounted(ctx, next) {
    const { path } = ctx.state.request;
    for (const { matches, handle } of composed) if (matches(path)) return handle(ctx, next);
    return next();
  };
}

export const atPath =
  (only: string): Matches =>
  (path) =>
    path === only;

export function atOrBelow(prefix: string): Matches {
  const inside = `${prefix}/`;
  return (path) => path === prefix || path.startsWith(inside);
}

export const anywhere: Matches = () => true;
export const nowhere: Matches = () => false;

/** /healthz and /readyz, for supervisors and load balancers. They need no key, and are not limited, audited or logged. */
export function createHealth(readiness: Readiness, send: Send): Middleware {
  const respond = (ctx: RequestContext, status: number, body: object) =>
    void send(ctx, { status, headers: {}, json: JSON.stringify(body) });
  return async function health(ctx, next) {
    const { method, path } = ctx.state.request;
    const isProbe = path === '/healthz' || path === '/readyz';
    if (!isProbe || (method !== 'GET' && method !== 'HEAD')) return next();
    if (path === '/healthz') return respond(ctx, 200, { status: 'ok' });
    const { isReady, status, parts } = await readiness.check();
    respond(ctx, isReady ? 200 : 503, { status, parts });
  };
}

const acceptedHeaders = [
  'Authorization',
  'X-API-Key',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'X-Request-Id',
  'trpc-accept',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
];

const exposedHeaders = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
  'ETag',
  'WWW-Authenticate',
];

interface CorsSettings {
  corsOrigins: readonly string[];
  admitsLoopbackPages: boolean;
}

/** Lets pages of the configured origins call the API from a browser, never with cookies. Null if no page may call. */
export function createCors({ corsOrigins, admitsLoopbackPages }: CorsSettings): Middleware | null {
  if (corsOrigins.length === 0 && !admitsLoopbackPages) return null;
  const isAllowed = (origin: string) =>
    corsOrigins.includes('*') ||
    corsOrigins.includes(origin) ||
    (admitsLoopbackPages && isLoopbackOrigin(origin));
  return cors({
    origin: (ctx) => (isAllowed(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: acceptedHeaders,
    exposeHeaders: exposedHeaders,
    maxAge: 600,
    keepHeadersOnError: false,
  }) as Middleware; // @koa/cors declares Koa's default context, not ours
}

const isLoopbackOrigin = (origin: string) =>
  /^https?:/.test(origin) && URL.canParse(origin) && isLoopback(new URL(origin));

/** Koa's own redirect would choose its body by the Accept header. */
const redirection = (status: number, Location: string): Response => ({
  status,
  headers: { Location, 'Content-Length': '0' },
  json: null,
});

export function createRootRedirect(docsPath: string, send: Send): Middleware {
  return async function rootRedirect(ctx, next) {
    ctx.vary('Accept');
    if (ctx.state.request.method !== 'GET' || !wantsPage(ctx)) return next();
    send(ctx, redirection(302, docsPath));
  };
}

/** Tools look for the description at /openapi.json first. */
export function createDescriptionRedirect(descriptionPath: string, send: Send): Middleware {
  return async function descriptionRedirect(ctx) {
    send(ctx, redirection(301, descriptionPath + ctx.search));
  };
}

/** For a path without a mount: 404, as a page for browsers. At OAuth's paths, the message says that OAuth is off. */
export const createUnknownPath = ({ hasApps, brand }: { hasApps: boolean; brand: Brand }): Protocol => ({
  ...createPageProtocol(async (ctx) => {
    ctx.status = 404;
    respondNotFound(ctx, brand);
    return null;
  }),
  unparsedCost: oneCall,
  parse({ ctx, caller }) {
    ctx.vary('Accept');
    if (!hasApps && isOAuthPath.test(ctx.state.request.path)) throw new ApiError('not_found', noOAuth);
    // A caller with a credential gets an error, because the audit records errors and not pages.
    if (hasCredential(caller) || !wantsPage(ctx)) throw notFound('Page');
    return { ...noCalls, cost: oneCall };
  },
});

const hasCredential = (caller: Caller) => caller.kind !== 'visitor' || caller.refusedCredential !== null;

/** After a 401 that names no way to sign in, MCP clients look at these paths. */
const isOAuthPath = /^\/(\.well-known\/(oauth-|openid-)|(register|authorize|token)$)/;

const noOAuth = `Page not found: there is no sign-in by OAuth. Send an API key as "Authorization: Bearer <API_KEY>"; keys are created at ${accountPrefix}`;
