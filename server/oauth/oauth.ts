/**
 * The authorization server: apps and agents sign their users in by themselves (OAuth 2.1), and receive tokens instead of
 * keys. It is on where PUBLIC_URL is an origin. The account page asks the user; the library does the rest.
 */

import cors from '@koa/cors';
import koaCompose from 'koa-compose';
import type { Provider } from 'oidc-provider';
import {
  type AdmittedRequest,
  createPageProtocol,
  type Middleware,
  noCalls,
  type Protocol,
  type RequestContext,
} from '../../bridge/protocol.ts';
import type { Models } from '../../models/index.ts';
import { notFound, tooManyRequests } from '../../routers/errors.ts';
import { lazy } from '../../routers/memoize.ts';
import type { Clock } from '../../routers/ports.ts';
import { grantableScopes, type Scope } from '../../routers/scopes.ts';
import { createCookie } from '../account/read-session.ts';
import type { RefuseKey } from '../http/authenticate.ts';
import { networkOf } from '../http/request.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import type { AuditTrail } from '../observability/audit.ts';
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
import { formatOAuthError, respondErrorPage, showErrors } from './errors.ts';
import { loadProvider } from './provider.ts';
import { createAccept, pinOrigin } from './requests.ts';

interface OAuthDeps {
  models: Models;
  clock: Clock;
  log: Log;
  trail: Pick<AuditTrail, 'storeNow'>;
  limiter: Limiter;
  publicUrl: string | undefined;
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
  const respond = createRespondByLibrary(
    issuer,
    lazy(() => loadProvider({ ...deps, issuer, scopes })),
  );
  const accept = createAccept(issuer, scopes);
  const limit = createLimitAddress(limiter);
  const requireAnsweringSession = createRequireAnsweringSession({ ...deps, issuer });
  const document: Route = { limit: null, accept: null, isOpen: true, respond: createRespondDocument(issuer) };
  const resume: Route = {
    ...{ limit: limit.resume, accept: null, isOpen: false },
    respond: async (ctx, ...rest) => ((await requireAnsweringSession(ctx)) ? respond(ctx, ...rest) : null),
  };
  const routes = new Map<string, Route>([
    ...documentPaths.map((path) => [path, document] as const),
    [
      oauthPaths.authorize,
      {
        ...{ limit: limit.authorize, accept: accept.authorization, isOpen: false },
        respond: async (ctx, ...rest) => {
          await respond(ctx, ...rest);
          return showErrors(ctx);
        },
      },
    ],
    [oauthPaths.token, { limit: limit.token, accept: accept.token, isOpen: true, respond }],
    [oauthPaths.revoke, { limit: limit.token, accept: accept.form, isOpen: true, respond }],
    [oauthPaths.register, { limit: limit.register, accept: accept.registration, isOpen: true, respond }],
  ]);
  const find = (path: string) => routes.get(path) ?? (resumedRequestId(path) === null ? null : resume);
  return {
    refuseKey: createRefuseKey(issuer),
    matches: (path) => find(path) !== null,
    cors: (ctx, next) => (find(ctx.state.request.path)?.isOpen ? allowAnyOrigin(ctx, next) : next()),
    protocol: createOAuthProtocol((path) => find(path) ?? document),
  };
}

/** It calls no operation of the API: everything is the route's. */
const createOAuthProtocol = (routeOf: (path: string) => Route): Protocol => ({
  ...createPageProtocol((ctx) => Promise.resolve(routeOf(ctx.state.request.path).respond(ctx, noCalls, []))),
  name: 'oauth',
  formatError: formatOAuthError,
  async parse(request) {
    const { limit, accept } = routeOf(request.ctx.state.request.path);
    await limit?.(request.ctx);
    await accept?.(request);
    return noCalls;
  },
});

function createRespondByLibrary(issuer: string, load: () => Promise<Provider>): Protocol['respond'] {
  const compose = lazy(async () => koaCompose((await load()).middleware as Middleware[]));
  return async function respondByLibrary(ctx) {
    const library = await compose();
    pinOrigin(ctx, issuer);
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
}

/**
 * Lets an answered request go on only in the session that answered it: the browser that began it may be another person's,
 * and its user may have signed out, or been suspended, since. Resolves to whether it may; otherwise the response is made.
 */
function createRequireAnsweringSession({
  models,
  clock,
  issuer,
}: AnsweringSessionDeps): (ctx: RequestContext) => Promise<boolean> {
  const isHttps = issuer.startsWith('https:');
  async function isAnsweringSession(ctx: RequestContext): Promise<boolean> {
    const now = new Date(clock());
    const request = await models.oauthRequests.find(resumedRequestId(ctx.state.request.path) ?? '', now);
    const token = createCookie(ctx, { name: 'gamehost_session', isHttps }).value;
    if (!request?.answer || !token) return false;
    return (await models.sessions.verify(token, now))?.id === request.answer.sessionId;
  }
  return async function requireAnsweringSession(ctx) {
    if (await isAnsweringSession(ctx)) return true;
    ctx.status = 400;
    respondErrorPage(ctx, {
      error: 'invalid_request',
      error_description: 'The request has expired, or was answered in another session',
    });
    return false;
  };
}

const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;

/** Counts a request in a window, by what it names of an address. */
type Rule = [window: Window, keyOf: (address: string) => string];

const network = (address: string) => networkOf(address);
const site = (address: string) => networkOf(address, 48);
const everyone = () => 'all';

/** Of an address, and ten times as many of a site. */
const rules = (name: string, max: number, seconds: number): Rule[] => [
  [{ name: `oauth:${name}`, max, seconds }, network],
  [{ name: `oauth:${name}:site`, max: 10 * max, seconds }, site],
];

/** Registrations are stored, so all of them together are bounded too. */
const registrationRules: Rule[] = [
  ...rules('register', 10, hourSeconds),
  [{ name: 'oauth:register:all', max: 1000, seconds: hourSeconds }, everyone],
];

/** Limits what an address may ask of the authorization server, whose callers have no key and no session. */
function createLimitAddress(limiter: Limiter) {
  const limit =
    (...limits: Rule[]) =>
    async ({ state: { request } }: RequestContext): Promise<void> => {
      if (request.method === 'OPTIONS') return;
      for (const [window, keyOf] of limits) {
        const { fits, secondsLeft } = await limiter.consume(window, keyOf(request.address), 1);
        if (!fits) throw tooManyRequests(secondsLeft);
      }
    };
  return {
    authorize: limit(...rules('authorize', 30, minuteSeconds)),
    resume: limit(...rules('resume', 60, minuteSeconds)),
    token: limit(...rules('token', 60, minuteSeconds)),
    register: limit(...registrationRules),
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
