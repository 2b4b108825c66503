/**
 * /trpc: operations for typed clients, in tRPC's HTTP wire format: queries, mutations and batches. tRPC's handler
 * would call procedures and write responses without the pipeline's idempotency, limits and audit.
 */

import type { ParsedUrlQuery } from 'node:querystring';
import { batchBytesMax, batchCallsMax } from '../../models/bounds.ts';
import { type Access, authorize } from '../../routers/caller.ts';
import { ApiError, badRequest, notFound } from '../../routers/errors.ts';
import { memoizeByIdentity } from '../../routers/support/memoize.ts';
import { errorShape } from '../../routers/trpc.ts';
import { bodyBytesMaxOf, hasBody, isJsonObject, readJson } from '../json.ts';
import { type AnyOperation, isOpenToVisitors, type Operation, type SessionOperation } from '../operations.ts';
import {
  type AdmittedRequest,
  type Call,
  type CallResponse,
  type ErrorResponse,
  type Headers,
  headersOfCall,
  isOperationCall,
  oneCall,
  type Protocol,
  percentDecode,
  type RequestContext,
  type RequestInfo,
  type Response,
  refuseHeadersOfBatch,
  toErrorResponse,
} from '../protocol.ts';

export const trpcPrefix = '/trpc';

/** How many calls of a batch run at once: enough to share database reads, few enough to bound their output. */
const concurrency = 10;

/** Clients with `methodOverride: 'POST'` send queries by POST. Only POST writes. */
const methodsByType = { query: ['GET', 'HEAD', 'POST'], mutation: ['POST'] };

/** @param callsPerMinute a batch that exceeds the limit of one minute is refused, not delayed */
export const createTrpc = (operations: readonly Operation[], callsPerMinute: number): Protocol =>
  createProtocol(operations, {
    name: 'trpc',
    prefix: trpcPrefix,
    callsMax: Math.min(batchCallsMax, callsPerMinute),
    accessOfUnknown: { scope: 'any' },
  });

/** The account page's client sends no batches. `requireSameOrigin` throws if a page of another origin sent the request. */
export function createSessionTrpc(
  operations: readonly SessionOperation[],
  { prefix, requireSameOrigin }: { prefix: string; requireSameOrigin: (ctx: RequestContext) => void },
): Protocol {
  const accessOfUnknown = { session: 'optional' } as const;
  const protocol = createProtocol(operations, { name: 'account', prefix, callsMax: 1, accessOfUnknown });
  return {
    ...protocol,
    parse(request) {
      requireSameOrigin(request.ctx);
      return protocol.parse(request);
    },
  };
}

interface ProtocolOptions {
  name: 'trpc' | 'account';
  prefix: string;
  callsMax: number;
  /** The access that a caller needs to send a batch, or to see that a procedure does not exist. */
  accessOfUnknown: Access;
}

function createProtocol(operations: readonly AnyOperation[], options: ProtocolOptions): Protocol {
  const { name, prefix, callsMax, accessOfUnknown } = options;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  return {
    name,
    concurrency,
    unparsedCost: oneCall,
    parse(request) {
      const { ctx } = request;
      const requested = readTrpcRequest(ctx, prefix);
      const { names, isBatch } = requested;
      if (names.length > 1) authorize(request.caller, accessOfUnknown);
      if (names.length > callsMax) throw tooManyCalls(callsMax);
      refuseHeadersOfBatch(ctx, names.length);
      const bytes = names.map((name) => bodyBytesMaxOf(request.caller, byName.get(name)));
      const inputOf = createInputReader(request, requested, sum(bytes));
      const calls = names.map((name, index): Call => {
        const operation = byName.get(name);
        if (!operation) return { name, access: accessOfUnknown, refusal: notFound('Procedure') };
        const readInput = requireMethod(ctx, operation, () => inputOf(index));
        return { operation, readInput, ...headersOfCall(ctx) };
      });
      return { calls, cost: { calls: isSingleOpenCall(calls) ? 0 : names.length, messages: 0 }, isBatch };
    },
    formatResult: memoizeByIdentity((output: object) => `{"result":{"data":${JSON.stringify(output)}}}`),
    formatError: (failure, request, call) =>
      formatTrpcError(failure, request, call ? nameOf(call) : undefined),
    respond: (ctx, { isBatch }, responses) => respondTrpc(ctx, isBatch, responses),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const nameOf = (call: Call) => (isOperationCall(call) ? call.operation.name : call.name);

const isSingleOpenCall = ([call, ...others]: readonly Call[]) =>
  others.length === 0 && call !== undefined && isOperationCall(call) && isOpenToVisitors(call.operation);

function requireMethod(
  { state }: RequestContext,
  { name, type }: AnyOperation,
  read: () => ReturnType<InputOf>,
) {
  const { method } = state.request;
  return async () => {
    if (methodsByType[type].includes(method)) return read();
    const Allow = methodsByType[type].join(', ');
    throw new ApiError('method_not_allowed', `${name} does not support ${method}; use ${Allow}`, {
      headers: { Allow },
    });
  };
}

const tooManyCalls = (callsMax: number) =>
  badRequest(callsMax === 1 ? 'Batches are not supported here' : `A batch holds at most ${callsMax} calls`);

interface TrpcRequest {
  names: string[];
  isBatch: boolean;
}

/** `/trpc/account.me` or `/trpc/account.me,tickets.list?batch=1` */
function readTrpcRequest({ query, state }: RequestContext, prefix: string): TrpcRequest {
  const path = percentDecode(state.request.path.slice(prefix.length + 1));
  const isBatch = query['batch'] === '1';
  return { names: isBatch ? path.split(',') : [path], isBatch };
}

type InputOf = (index: number) => Promise<unknown>;

/** All calls of the request share one read. */
function createInputReader(request: AdmittedRequest, { isBatch }: TrpcRequest, bytesMax: number): InputOf {
  const { ctx } = request;
  let inputs: Promise<unknown> | undefined;
  const read = () => {
    inputs ??= ctx.state.request.method === 'POST' ? readBody(request, bytesMax) : readQuery(ctx.query);
    return inputs;
  };
  return isBatch ? async (index) => inputAt(await read(), index) : read;
}

async function readBody(request: AdmittedRequest, callsBytesMax: number): Promise<unknown> {
  const bytesMax = Math.min(callsBytesMax, batchBytesMax);
  return hasBody(request.ctx.req) ? readJson(request, { bytesMax }) : undefined;
}

async function readQuery({ input }: ParsedUrlQuery): Promise<unknown> {
  if (input === undefined) return undefined;
  if (typeof input !== 'string') throw badRequest('input must be given once');
  try {
    return JSON.parse(input);
  } catch (cause) {
    throw badRequest('input is not valid JSON', cause);
  }
}

function inputAt(inputs: unknown, index: number): unknown {
  if (inputs === undefined) return undefined;
  if (!isJsonObject(inputs)) throw badRequest(`The inputs of a batch must be an object such as {"0": {}}`);
  return inputs[index];
}

/** The form that `TRPCClientError` reads, plus our code and the request's id. */
const formatTrpcError = (failure: unknown, { id }: RequestInfo, name?: string): ErrorResponse => ({
  ...toErrorResponse(failure),
  body: { error: errorShape(failure, id, name) },
});

/** A single call has its own status. A batch has the status that its calls share, or 207. */
function respondTrpc(ctx: RequestContext, isBatch: boolean, responses: readonly CallResponse[]): Response {
  const statuses = new Set(responses.map(({ status }) => (status < 400 ? 200 : status)));
  const [status = 200] = statuses;
  const headers = Object.assign({}, ...responses.map((response) => response.headers));
  const all = responses.map(({ json }) => json);
  if (!isBatch) return { status, headers, json: all.join() };
  ctx.vary('trpc-accept, accept');
  if (acceptsLines(ctx)) return linesResponse(headers, all.map(String));
  return { status: statuses.size > 1 ? 207 : status, headers, json: `[${all.join()}]` };
}

const acceptsLines = (ctx: RequestContext) =>
  `${ctx.get('trpc-accept')},${ctx.get('accept')}`.split(',').some((type) => type.trim() === linesType);

const linesType = 'application/jsonl';

/**
 * One line has all results, each as `[[value], ...promises]` without promises: no result may leave before the audit entries
 * of the writes are stored. The status is 200, because the client treats any other status as a failure of all calls.
 */
function linesResponse(headers: Headers, all: readonly string[]): Response {
  const json = `{${all.map((result, index) => `"${index}":[[${result}]]`).join()}}\n`;
  return { status: 200, headers, json, contentType: linesType };
}
