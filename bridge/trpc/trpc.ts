/**
 * /trpc: operations for typed clients, in tRPC's HTTP wire format: queries, mutations and batches.
 * Not tRPC's own handler, which answers past Koa and costs several times the call.
 */
import { ApiError, badRequest, notFound, unauthorized } from '../../routers/errors.ts';
import type { Access } from '../../routers/trpc.ts';
import { type Call, isOperationCall } from '../http/exchange.ts';
import { refuseIdempotencyKeyOfBatch, sentIdempotencyKey } from '../http/idempotency-key.ts';
import type { Protocol, RequestContext } from '../http/request-state.ts';
import type { AnyOperation, Operation, SessionOperation } from '../operations.ts';
import { createInputs, type InputOf, readTrpcRequest } from './request.ts';
import { createFormatResult, formatTrpcError, respondTrpc } from './response.ts';

export const trpcPrefix = '/trpc';

const batchCallsMax = 50;

/** How many calls of a batch run side by side: enough to share reads of the database, few enough to bound their output. */
const concurrency = 10;

/** POST is for queries too, for clients with `methodOverride: 'POST'`; only POST writes. */
const allowed = { query: ['GET', 'HEAD', 'POST'], mutation: ['POST'] };

/** @param callsPerMinute a batch that exceeds the limit of a whole minute is refused, not delayed */
export const createTrpc = (operations: readonly Operation[], callsPerMinute: number): Protocol =>
  createProtocol(operations, {
    name: 'trpc',
    prefix: trpcPrefix,
    callsMax: Math.min(batchCallsMax, callsPerMinute),
    accessOfUnknown: { scope: 'any' },
  });

/**
 * The account page's procedures: the same wire format without batches, which its own client does not send.
 * @param options `guard` throws the refusal of a request that does not come from the page itself
 */
export function createSessionTrpc(
  operations: readonly SessionOperation[],
  { prefix, guard }: { prefix: string; guard: (ctx: RequestContext) => void },
): Protocol {
  const accessOfUnknown = { session: 'optional' } as const;
  const protocol = createProtocol(operations, { name: 'account', prefix, callsMax: 1, accessOfUnknown });
  return {
    ...protocol,
    parse(ctx) {
      guard(ctx);
      return protocol.parse(ctx);
    },
  };
}

interface ProtocolOptions {
  name: 'trpc' | 'account';
  prefix: string;
  callsMax: number;
  /** Who learns that a procedure does not exist. */
  accessOfUnknown: Access;
}

function createProtocol(operations: readonly AnyOperation[], options: ProtocolOptions): Protocol {
  const { name, prefix, callsMax, accessOfUnknown } = options;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  const formatResult = createFormatResult();
  return {
    name,
    concurrency,
    isOneCall: ({ path }) => isCounted(byName.get(path.slice(prefix.length + 1))),
    unparsedCost: { calls: 1, messages: 0 },
    parse(ctx) {
      const request = readTrpcRequest(ctx, prefix);
      const { names, isBatch } = request;
      const { caller, keyRefusal } = ctx.state;
      if (names.length > 1 && !caller && 'scope' in accessOfUnknown) throw unauthorized(keyRefusal);
      if (names.length > callsMax) throw tooManyCalls(callsMax);
      refuseIdempotencyKeyOfBatch(ctx, names.length);
      const inputOf = createInputs(ctx, request);
      const calls = names.map((name, index): Call => {
        const operation = byName.get(name);
        if (!operation) return { name, access: accessOfUnknown, refusal: notFound('Procedure') };
        const readInput = readerOf(ctx, operation, () => inputOf(index));
        return { operation, readInput, idempotencyKey: sentIdempotencyKey(ctx) };
      });
      return { calls, cost: { calls: isFree(calls) ? 0 : names.length, messages: 0 }, isBatch };
    },
    formatResult,
    formatError: (failure, state, call) => formatTrpcError(failure, state, call ? nameOf(call) : undefined),
    respond: (ctx, { isBatch }, replies) => respondTrpc(ctx, isBatch, replies),
  };
}

const nameOf = (call: Call) => (isOperationCall(call) ? call.operation.name : call.name);

/** A single call of what is open to all. */
const isFree = ([call, ...others]: readonly Call[]) =>
  others.length === 0 && call !== undefined && isOperationCall(call) && isOpen(call.operation);

const isOpen = (operation: AnyOperation) => 'scope' in operation && operation.scope === null;

const isCounted = (operation: AnyOperation | undefined) => operation !== undefined && !isOpen(operation);

function readerOf(
  { state: { method } }: RequestContext,
  { name, type }: AnyOperation,
  read: () => ReturnType<InputOf>,
) {
  return async () => {
    if (allowed[type].includes(method)) return read();
    const Allow = allowed[type].join(', ');
    throw new ApiError('method_not_allowed', `${method} is not offered for ${name}; use ${Allow}`, {
      headers: { Allow },
    });
  };
}

const tooManyCalls = (callsMax: number) =>
  badRequest(callsMax === 1 ? 'Batches are not offered here' : `A batch holds at most ${callsMax} calls`);
