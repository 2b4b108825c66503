/** /api/v1: operations as REST routes. Responses have the contract's statuses and bodies, and nothing else. */
import { ApiError, notFound } from '../../routers/errors.ts';
import { lazy } from '../../routers/lazy.ts';
import { memoizeByIdentity } from '../../routers/memoize-by-identity.ts';
import { toErrorResponse } from '../http/error-response.ts';
import { type Call, type Cost, type Exchange, isOperationCall } from '../http/exchange.ts';
import { sentIdempotencyKey } from '../http/idempotency-key.ts';
import { memoizeRecent } from '../http/memoize-recent.ts';
import { type Protocol, type RequestContext, respondAllow, respondJson } from '../http/request-state.ts';
import type { Operation } from '../operations.ts';
import { presentPageFile } from '../pages/page-files.ts';
import { sendPageFile } from '../pages/send-page-file.ts';
import { type RestInput, restInputOf } from './input.ts';
import { createFind, type Route, type RouteMatch } from './route-table.ts';

export const restPrefix = '/api/v1';

interface RestExchange extends Exchange {
  /** The methods of the path, where OPTIONS asks for them. */
  allow: string | null;
}

interface Target {
  operation: Operation;
  inputOf: RestInput;
}

const oneCall: Cost = { calls: 1, messages: 0 };
const free: Cost = { calls: 0, messages: 0 };

export function createRest(operations: readonly Operation[]): Protocol<RestExchange> {
  const find = createFind(operations.flatMap(routesOf));
  const toJson = memoizeByIdentity((output: object) => JSON.stringify(output));
  return {
    name: 'rest',
    concurrency: 1,
    isOneCall({ method, path }) {
      const target = find(path)?.targets.get(method);
      return target !== undefined && target.operation.scope !== null;
    },
    unparsedCost: oneCall,
    parse(ctx) {
      const match = find(ctx.state.path);
      const target = match?.targets.get(ctx.state.method);
      return match && target ? callOf(ctx, target, match.params) : unmatched(ctx, match);
    },
    formatResult: toJson,
    formatError: toErrorResponse,
    respond(ctx, { allow, calls: [call] }, [reply]) {
      if (allow !== null) return respondAllow(ctx, allow);
      if (!reply) throw new Error('A REST request is one call');
      Object.assign(ctx.state.headers, reply.headers);
      if (!call || !isPublic(call) || reply.status !== 200) return respondJson(ctx, reply.status, reply.json);
      // Clients may keep it and revalidate it.
      return fileOf(String(reply.json))().then((file) => sendPageFile(ctx, file));
    },
  };
}

/** Whether the response is the same for everyone. */
const isPublic = (call: Call) =>
  isOperationCall(call) && 'scope' in call.operation && call.operation.scope === null;

const cachedFilesMax = 16;

const fileOf = memoizeRecent(cachedFilesMax, (json) =>
  lazy(() => presentPageFile('document.json', Buffer.from(json))),
);

function callOf(
  ctx: RequestContext,
  { operation, inputOf }: Target,
  params: Record<string, string>,
): RestExchange {
  const call = { operation, readInput: () => inputOf(ctx, params), idempotencyKey: sentIdempotencyKey(ctx) };
  return { calls: [call], cost: operation.scope === null ? free : oneCall, isBatch: false, allow: null };
}

/** OPTIONS, a method that the path does not take (405 with Allow), or an unknown path. */
function unmatched({ state: { method } }: RequestContext, match: RouteMatch<Target> | null): RestExchange {
  const exchange = { cost: oneCall, isBatch: false, allow: null };
  const isOptions = method === 'OPTIONS';
  if (!match) {
    const access = { scope: isOptions ? null : ('any' as const) };
    return { ...exchange, calls: [{ access, refusal: notFound('Endpoint') }] };
  }
  const allow = [...match.targets.keys(), 'OPTIONS'].join(', ');
  return isOptions
    ? { ...exchange, calls: [], allow }
    : { ...exchange, calls: [wrongMethod(method, allow, match)] };
}

/** Callers without a key get 401, except on a path that is open to all. */
function wrongMethod(method: string, Allow: string, { targets }: RouteMatch<Target>): Call {
  const isOpen = [...targets.values()].some(({ operation }) => operation.scope === null);
  const message = `${method} is not offered here; use ${Allow}`;
  const refusal = new ApiError('method_not_allowed', message, { headers: { Allow } });
  return { access: { scope: isOpen ? null : 'any' }, refusal };
}

/** Every GET is a HEAD too. */
function routesOf(operation: Operation): Route<Target>[] {
  const target = { operation, inputOf: restInputOf(operation) };
  const methods = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method];
  return methods.map((method) => ({ method, path: restPrefix + operation.path, target }));
}
