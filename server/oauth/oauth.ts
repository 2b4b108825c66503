/**
 * The authorization server: apps and agents sign their users in (OAuth 2.1), and get tokens instead of keys. It is on if
 * PUBLIC_URL is an https address or names this machine. The account page asks the user, and the library does the rest.
 */
import cors from '@koa/cors';
import koaCompose from 'koa-compose';
import {
  type AdmittedRequest,
  createPageProtocol,
  type Middleware,
  noCalls,
  type Protocol,
  type RequestContext,
} from '../../bridge/protocol.ts';
import { hourSeconds, minuteSeconds } from '../../models/support/durations.ts';
import { notFound } from '../../routers/errors.ts';
import { appGrantableScopes, type Scope } from '../../routers/scopes.ts';
import { lazy } from '../../routers/support/memoize.ts';
import { createCookie, sessionCookie } from '../account/read-session.ts';
import type { KeyErrorOf } from '../http/authenticate.ts';
import { createRequestLimit } from '../limit/addresses.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import type { Log } from '../observability/log.ts';
import {
  createRefuseKey,
  createRespondDocument,
  documentPaths,
  issuerOf,
  oauthPaths,
  resumedRequestId,
} from './documents.ts';
import { formatOAuthError, logRefusal, respondErrorPage, showErrorInsteadOfRedirect } from './errors.ts';
import { loadProvider, type ProviderDeps } from './provider.ts';
import { createAccept, pinOrigin } from './requests.ts';

type OAuthDeps = Omit<ProviderDeps, 'issuer' | 'scopes'> & {
  publicUrl: string | undefined;
  offeredScopes: readonly Scope[];
};

export interface OAuth {
  matches: (path: string) => boolean;
  protocol: Protocol;
  cors: Middleware;
  refuseKey: KeyErrorOf;
}

interface Route {
  limit?: (ctx: RequestContext) => Promise<void>;
  /** Turns the request into the form that the library accepts, or refuses it. */
  accept?: (request: AdmittedRequest) => Promise<void> | void;
  respond: Protocol['respond'];
  allowsAnyOrigin?: boolean;
}

type FindRoute = (path: string) => Route | undefined;

export function createOAuth({ publicUrl, offeredScopes, ...deps }: OAuthDeps): OAuth | null {
  const issuer = issuerOf(publicUrl);
  if (issuer === null) return null;
  const find = createRoutes({ ...deps, issuer, scopes: appGrantableScopes(offeredScopes) });
  return {
    refuseKey: createRefuseKey(issuer),
    matches: (path) => find(path) !== undefined,
    cors: (ctx, next) => (find(ctx.state.request.path)?.allowsAnyOrigin ? allowAnyOrigin(ctx, next) : next()),
    protocol: createOAuthProtocol(find, deps.log),
  };
}

/** Requests per address and minute; new registrations per hour. */
export const addressLimits = { authorize: 30, resume: 60, token: 60, register: 10 } as const;

function createRoutes(deps: ProviderDeps): FindRoute {
  const { brand, clock, issuer, limiter, models, scopes } = deps;
  const respond = createRespondByLibrary(deps);
  const accept = createAccept(issuer, scopes);
  const limit = (name: string, max: number, seconds = minuteSeconds) =>
    createLimit(limiter, { name: `oauth:${name}`, max, seconds });
  const limitTokens = limit('token', addressLimits.token);
  const limitNewRegistrations = limit('register', addressLimits.register, hourSeconds);
  const document = {
    allowsAnyOrigin: true,
    respond: createRespondDocument({ issuer, scopes, hostName: brand.name }),
  };
  const routes: Record<string, Route> = {
    ...Object.fromEntries(documentPaths.map((path) => [path, document])),
    [oauthPaths.authorize]: {
      limit: limit('authorize', addressLimits.authorize),
      accept: accept.authorization,
      respond: (ctx) => respond(ctx).then(() => showErrorInsteadOfRedirect(ctx, brand)),
    },
    [oauthPaths.token]: { limit: limitTokens, accept: accept.token, allowsAnyOrigin: true, respond },
    [oauthPaths.revoke]: { limit: limitTokens, accept: accept.form, allowsAnyOrigin: true, respond },
    [oauthPaths.register]: {
      // Only new registrations count against the address: many agents share one, and repeat a stored registration.
      async accept(request) {
        const clientId = await accept.registration(request);
        const known = clientId && (await models.oauthClients.find(clientId, new Date(clock())));
        if (!known) await limitNewRegistrations(request.ctx);
      },
      allowsAnyOrigin: true,
      respond,
    },
  };
  const resume = {
    limit: limit('resume', addressLimits.resume),
    respond: createRespondInSession(deps, respond),
  };
  return (path) => routes[path] ?? (resumedRequestId(path) === null ? undefined : resume);
}

/** Limits by address, because callers of the authorization server have no key and no session. */
function createLimit(limiter: Limiter, window: Window) {
  const limitRequest = createRequestLimit(limiter, window);
  return async ({ state: { request } }: RequestContext): Promise<void> => {
    if (request.method !== 'OPTIONS') await limitRequest(request.address);
  };
}

const createOAuthProtocol = (find: FindRoute, log: Log): Protocol => ({
  ...createPageProtocol(
    async (ctx) => (await find(ctx.state.request.path)?.respond(ctx, noCalls, [])) ?? null,
  ),
  name: 'oauth',
  formatError(failure, request) {
    const response = formatOAuthError(failure);
    logRefusal(log, request, response.body);
    return response;
  },
  async parse(request) {
    const route = find(request.ctx.state.request.path);
    await route?.limit?.(request.ctx);
    await route?.accept?.(request);
    return noCalls;
  },
});

function createRespondByLibrary(deps: ProviderDeps) {
  const compose = lazy(async () => koaCompose((await loadProvider(deps)).middleware as Middleware[]));
  return async function respondByLibrary(ctx: RequestContext): Promise<null> {
    const library = await compose();
    pinOrigin(ctx, deps.issuer);
    // Some apps send an API key with every request; here it must not count as a client's credential.
    if (/^bearer /i.test(ctx.req.headers.authorization ?? '')) delete ctx.req.headers.authorization;
    await library(ctx, async () => {});
    if (ctx.status === 404 && ctx.body == null) throw notFound('Page');
    return null;
  };
}

/**
 * A decided request continues only in the session that decided it. The browser that began it may be another person's, and the
 * user may have signed out or been suspended since.
 */
const createRespondInSession =
  ({ models, clock, issuer, brand }: ProviderDeps, respond: (ctx: RequestContext) => Promise<null>) =>
  async (ctx: RequestContext): Promise<null> => {
    const now = new Date(clock());
    const request = await models.oauthRequests.find(resumedRequestId(ctx.state.request.path) ?? '', now);
    const token = createCookie(ctx, { name: sessionCookie, isHttps: issuer.startsWith('https:') }).value;
    const session = token ? await models.sessions.verify(token, now) : null;
    if (session && session.id === request?.answer?.sessionId) return respond(ctx);
    ctx.status = 400;
    const error_description = 'The request has expired, or was answered in another session';
    respondErrorPage(ctx, { error: 'invalid_request', error_description }, brand);
    return null;
  };

/** Lets browser apps of any origin read the documents and obtain tokens. Cookies have no effect here. */
const allowAnyOrigin = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST'],
  allowHeaders: ['Authorization', 'Content-Type', 'MCP-Protocol-Version'],
  exposeHeaders: ['Retry-After', 'WWW-Authenticate'],
  maxAge: 600,
  keepHeadersOnError: true,
}) as Middleware; // @koa/cors declares Koa's default context, not ours
