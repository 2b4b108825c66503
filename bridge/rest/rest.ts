/** /api/v1: operations as REST routes. Responses have the contract's statuses and bodies, and nothing else. */
import Router from '@koa/router';
import { heldBaseUrlsMax } from '../../models/bounds.ts';
import { methodNotAllowed, notFound } from '../../routers/errors.ts';
import { lazy, memoizeByIdentity, memoizeRecent } from '../../routers/support/memoize.ts';
import { isOpen, type Operation } from '../operations.ts';
import { presentPageFile, sendPageFile } from '../pages/page-files.ts';
import {
  type AdmittedRequest,
  allowResponse,
  type Call,
  free,
  headersOfCall,
  isOperationCall,
  oneCall,
  type ParsedRequest,
  type Protocol,
  type RequestInfo,
  toErrorResponse,
} from '../protocol.ts';
import { type RestInput, restInputOf } from './input.ts';

export const restPrefix = '/api/v1';

interface RestRequest extends ParsedRequest {
  /** The methods of the path, where OPTIONS asks for them. */
  allow: string | null;
}

interface Target {
  operation: Operation;
  inputOf: RestInput;
}

export function createRest(operations: readonly Operation[]): Protocol<RestRequest> {
  const find = createFind(operations);
  const toJson = memoizeByIdentity((output: object) => JSON.stringify(output));
  // The descriptions in both versions, for all base URLs that they name.
  const fileOf = memoizeRecent(2 * heldBaseUrlsMax, lazyFile);
  return {
    name: 'rest',
    unparsedCost: oneCall,
    parse(request) {
      const { path, method } = request.ctx.state.request;
      const match = find(path);
      const target = match?.targets.get(method);
      return match && target
        ? parseCall(request, target, match.params)
        : unmatched(request.ctx.state.request, match);
    },
    formatResult: toJson,
    formatError: toErrorResponse,
    respond(ctx, { allow, calls: [call] }, [response]) {
      if (allow !== null) return allowResponse(allow);
      if (!response) throw new Error('A REST request is one call');
      if (!call || !isPublic(call) || response.status !== 200) return response;
      // Clients may keep it and revalidate it.
      return fileOf(String(response.json))().then((file) => sendPageFile(ctx, file));
    },
  };
}

/** Whether the response is the same for everyone. */
const isPublic = (call: Call) => isOperationCall(call) && isOpen(call.operation);

const lazyFile = (json: string) => lazy(() => presentPageFile('document.json', Buffer.from(json)));

function parseCall(
  request: AdmittedRequest,
  { operation, inputOf }: Target,
  params: Record<string, string>,
): RestRequest {
  const call = {
    operation,
    readInput: () => inputOf(request, params),
    ...headersOfCall(request.ctx),
  };
  return { calls: [call], cost: isOpen(operation) ? free : oneCall, isBatch: false, allow: null };
}

/**
 * OPTIONS, a method that the path does not take (405 with Allow), or an unknown path. Not by the router's `allowedMethods`:
 * it responds before the pipeline has authorized, counted and audited the caller.
 */
function unmatched({ method }: RequestInfo, match: RouteMatch | null): RestRequest {
  const parsed = { cost: oneCall, isBatch: false, allow: null };
  const isOptions = method === 'OPTIONS';
  if (!match) {
    const access = { scope: isOptions ? null : ('any' as const) };
    return { ...parsed, calls: [{ access, refusal: notFound('Endpoint') }] };
  }
  const allow = [...match.targets.keys(), 'OPTIONS'].join(', ');
  return isOptions
    ? { ...parsed, calls: [], allow }
    : { ...parsed, calls: [wrongMethod(method, allow, match)] };
}

/** Callers without a key get 401, except on a path that is open to all. */
function wrongMethod(method: string, allow: string, { targets }: RouteMatch): Call {
  const isOpenPath = [...targets.values()].some(({ operation }) => isOpen(operation));
  return { access: { scope: isOpenPath ? null : 'any' }, refusal: methodNotAllowed(method, allow) };
}

/** The operations at a path. */
interface RouteMatch {
  /** By method. */
  targets: ReadonlyMap<string, Target>;
  /** Path parameters by name, decoded. */
  params: Record<string, string>;
}

/** Finds the methods of a path, so that a wrong method (405) is distinct from an unknown path (404). */
function createFind(operations: readonly Operation[]): (path: string) => RouteMatch | null {
  const router = new Router({ sensitive: true });
  const targetsOf = new Map<unknown, Map<string, Target>>();
  for (const operation of operations.toSorted(byParameters)) {
    const path = restPrefix + operation.path.replace(/\{(\w+)\}/g, ':$1');
    router.register(path, [operation.method], unused);
    const target = { operation, inputOf: restInputOf(operation) };
    const targets = targetsOf.get(path) ?? new Map<string, Target>();
    targetsOf.set(path, targets.set(operation.method, target));
    if (operation.method === 'GET') targets.set('HEAD', target);
  }
  const match = (path: string): RouteMatch | null => {
    const [layer] = router.match(path, '').path;
    const targets = layer && targetsOf.get(layer.path);
    return targets ? { targets, params: layer.params(path, layer.captures(path)) } : null;
  };
  // Those without parameters, which are asked for most, need no expressions.
  const withoutParameters = operations.filter(({ pathParameters }) => pathParameters.length === 0);
  const fixed = new Map(withoutParameters.map(({ path }) => [restPrefix + path, match(restPrefix + path)]));
  return (path) => fixed.get(path) ?? match(path);
}

/** A path without parameters is found before one that has a parameter in its place. */
const byParameters = (one: Operation, other: Operation) =>
  one.pathParameters.length - other.pathParameters.length;

/** The pipeline runs what is found. */
const unused = () => {};
