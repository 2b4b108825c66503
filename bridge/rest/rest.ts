/** /api/v1: operations as REST routes. Responses have the contract's statuses and bodies, and nothing else. */
import { methodNotAllowed, notFound } from '../../routers/errors.ts';
import { lazy, memoizeByIdentity, memoizeRecent } from '../../routers/memoize.ts';
import { isOpen, type Operation } from '../operations.ts';
import { heldBaseUrlsMax, presentPageFile, sendPageFile } from '../pages/page-files.ts';
import {
  type AdmittedRequest,
  allowResponse,
  type Call,
  free,
  isOperationCall,
  oneCall,
  type ParsedRequest,
  type Protocol,
  percentDecode,
  type RequestInfo,
  sentIdempotencyKey,
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
  const find = createFind(operations.flatMap(routesOf));
  const toJson = memoizeByIdentity((output: object) => JSON.stringify(output));
  const fileOf = memoizeRecent(cachedFilesMax, lazyFile);
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

/** The descriptions in both versions, for all base URLs that they name. */
const cachedFilesMax = 2 * heldBaseUrlsMax;

const lazyFile = (json: string) => lazy(() => presentPageFile('document.json', Buffer.from(json)));

function parseCall(
  request: AdmittedRequest,
  { operation, inputOf }: Target,
  params: Record<string, string>,
): RestRequest {
  const call = {
    operation,
    readInput: () => inputOf(request, params),
    idempotencyKey: sentIdempotencyKey(request.ctx),
  };
  return { calls: [call], cost: isOpen(operation) ? free : oneCall, isBatch: false, allow: null };
}

/** OPTIONS, a method that the path does not take (405 with Allow), or an unknown path. */
function unmatched({ method }: RequestInfo, match: RouteMatch<Target> | null): RestRequest {
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
function wrongMethod(method: string, allow: string, { targets }: RouteMatch<Target>): Call {
  const isOpenPath = [...targets.values()].some(({ operation }) => isOpen(operation));
  return { access: { scope: isOpenPath ? null : 'any' }, refusal: methodNotAllowed(method, allow) };
}

/** Every GET is a HEAD too. */
function routesOf(operation: Operation): Route<Target>[] {
  const target = { operation, inputOf: restInputOf(operation) };
  const methods = operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method];
  return methods.map((method) => ({ method, path: restPrefix + operation.path, target }));
}

export interface Route<Target> {
  method: string;
  /** With parameters in braces, e.g. "/tickets/{ticket_id}/reply". */
  path: string;
  target: Target;
}

/** The methods and parameters of a path. */
interface RouteMatch<Target> {
  /** By method. */
  targets: ReadonlyMap<string, Target>;
  /** Path parameters by name, decoded. */
  params: Record<string, string>;
}

/**
 * Finds the methods of a path, so that a wrong method (405) is distinct from an unknown path (404).
 * Not @koa/router, because it runs at every call: most paths are found in a map, before any pattern is tried.
 *
 * Ignores a trailing slash.
 */
function createFind<Target>(routes: readonly Route<Target>[]): (path: string) => RouteMatch<Target> | null {
  const paths = [...new Set(routes.map(({ path }) => path))].map((path) => ({
    path,
    expression: expressionOf(path),
    parameters: [...path.matchAll(parameter)].map(([, name]) => name ?? ''),
    targets: targetsAt(path, routes),
  }));
  const fixed = new Map(paths.filter(isFixed).map(({ path, targets }) => [path, { targets, params: {} }]));
  const patterns = paths
    .filter((candidate) => !isFixed(candidate))
    .map((candidate) => ({ ...candidate, beginning: candidate.path.replace(/\{.*/, '') }));
  return function find(path) {
    const requested = path.endsWith('/') ? path.slice(0, -1) : path;
    const known = fixed.get(requested);
    if (known) return known;
    for (const { beginning, expression, parameters, targets } of patterns) {
      const values = requested.startsWith(beginning) ? expression.exec(requested) : null;
      if (values) return { targets, params: paramsOf(parameters, values) };
    }
    return null;
  };
}

const isFixed = ({ path }: { path: string }) => !path.includes('{');

const targetsAt = <Target>(path: string, routes: readonly Route<Target>[]) =>
  new Map(routes.filter((route) => route.path === path).map(({ method, target }) => [method, target]));

const parameter = /\{(\w+)\}/g;

const expressionOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(parameter, '([^/]+)')}$`);

/** @param match the whole path, then the value of each parameter */
function paramsOf(parameters: readonly string[], match: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  parameters.forEach((name, index) => {
    params[name] = percentDecode(match[index + 1] ?? '');
  });
  return params;
}
