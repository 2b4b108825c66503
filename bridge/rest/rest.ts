/** /api/v1: operations as REST routes. Responses have exactly the statuses and bodies of the contract. */
import Router, { type Layer } from '@koa/router';
import { cachedBaseUrlsMax } from '../../models/bounds.ts';
import { methodNotAllowed, notFound } from '../../routers/errors.ts';
import { lazy, memoizeByIdentity, memoizeRecent } from '../../routers/support/memoize.ts';
import { isOpenToVisitors, type Operation } from '../operations.ts';
import { sendPageFile, toPageFile } from '../pages/page-files.ts';
import {
  allowResponse,
  headersOfCall,
  type Middleware,
  noCost,
  oneCall,
  type ParsedRequest,
  type Protocol,
  type RequestContext,
  type RequestState,
  toErrorResponse,
} from '../protocol.ts';
import { restInputOf } from './input.ts';

export const restPrefix = '/api/v1';

/** @param serve the pipeline: makes a handler from a protocol */
export function createRest(
  operations: readonly Operation[],
  serve: (protocol: Protocol) => Middleware,
): Middleware {
  const rest = {
    name: 'rest',
    unparsedCost: oneCall,
    formatResult: memoizeByIdentity((output: object) => JSON.stringify(output)),
    formatError: toErrorResponse,
  } as const;
  const respondPublic = createRespondPublic();
  const router = new Router<RequestState>({ sensitive: true });
  for (const operation of operations.toSorted(byParameters)) {
    const handle = serve({
      ...rest,
      parse: createParse(operation),
      respond: isOpenToVisitors(operation) ? respondPublic : (_ctx, _parsed, [response]) => response ?? null,
    });
    router.register(pathOf(operation), [operation.method], handle);
  }
  const openPaths = new Set<unknown>(operations.filter(isOpenToVisitors).map(pathOf));
  const routes = router.routes() as unknown as Middleware; // @koa/router requires its own fields in the context, and adds them itself
  const refuse = serve({
    ...rest,
    parse: ({ ctx }) => parseUnhandled(ctx, openPaths),
    respond: (ctx, _parsed, [response]) => response ?? allowResponse(listAllowedMethods(ctx)),
  });
  return (ctx, next) => routes(ctx, async () => refuse(ctx, next));
}

const pathOf = ({ path }: Operation) => restPrefix + path.replace(/\{(\w+)\}/g, ':$1');

/** Registers paths without parameters first, because a parameter would match their segments. */
const byParameters = (one: Operation, other: Operation) =>
  one.pathParameters.length - other.pathParameters.length;

function createParse(operation: Operation): Protocol['parse'] {
  const inputOf = restInputOf(operation);
  const cost = isOpenToVisitors(operation) ? noCost : oneCall;
  return (request) => {
    const readInput = () => inputOf(request, request.ctx['params']); // set by the router
    return { calls: [{ operation, readInput, ...headersOfCall(request.ctx) }], cost, isBatch: false };
  };
}

/** The response is the same for everyone, so clients may cache and revalidate it. */
function createRespondPublic(): Protocol['respond'] {
  const fileOf = memoizeRecent(2 * cachedBaseUrlsMax, (json) =>
    lazy(() => toPageFile('document.json', Buffer.from(json))),
  );
  return async (ctx, _parsed, [response]) =>
    response?.status === 200 ? sendPageFile(ctx, await fileOf(String(response.json))()) : (response ?? null);
}

/** The router's `allowedMethods` would respond before the pipeline has authorized, counted and audited the caller. */
function parseUnhandled(ctx: RequestContext, openPaths: ReadonlySet<unknown>): ParsedRequest {
  const { method } = ctx.state.request;
  const isOptions = method === 'OPTIONS';
  const isKnown = listMatchedRoutes(ctx).length > 0;
  if (isOptions && isKnown) return { calls: [], cost: oneCall, isBatch: false };
  // Callers without a key get 401, except on a path that is open to all.
  const isOpenPath = listMatchedRoutes(ctx).some(({ path }) => openPaths.has(path));
  const access = { scope: isOptions || isOpenPath ? null : ('any' as const) };
  const refusal = isKnown ? methodNotAllowed(method, listAllowedMethods(ctx)) : notFound('Endpoint');
  return { calls: [{ access, refusal }], cost: oneCall, isBatch: false };
}

const listMatchedRoutes = (ctx: RequestContext): Layer[] => ctx['matched'];

/** A GET route lists HEAD before GET; Allow lists HEAD after it. */
const listAllowedMethods = (ctx: RequestContext) =>
  [...new Set(listMatchedRoutes(ctx).flatMap(({ methods }) => methods.toReversed())), 'OPTIONS'].join(', ');
