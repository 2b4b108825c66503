/**
 * /trpc: the catalogue's rows for typed clients, in tRPC's HTTP wire format: queries, mutations and batches.
 * Written over the rows because tRPC's own handler answers past Koa and costs several times the call.
 */
import { ApiError, badRequest, notFound, unauthorized } from '../routers/errors.ts';
import { recordedCall } from './call-record.ts';
import type { Callable, Row, SessionRow } from './catalogue.ts';
import { idempotencyOf, refuseHeaderFor } from './idempotency-key.ts';
import type { ContextOf, Middleware, Report, RequestState } from './request-state.ts';
import { answerRpc, createResultOf, rpcEnvelope, settled } from './rpc-answer.ts';
import { createInputs, readRpcRequest } from './rpc-request.ts';

export const rpcPrefix = '/trpc';

const batchCallsMax = 50;

/** POST speaks queries too, for clients with `methodOverride: 'POST'`; nothing but POST writes. */
const allowed = { query: ['GET', 'HEAD', 'POST'], mutation: ['POST'] };

interface RpcParts {
  rows: readonly Row[];
  contextOf: ContextOf;
  report: Report;
  /** A batch that no minute could hold is refused, not told to wait. */
  callsPerMinute: number;
}

/** `rpcDoor` belongs before the limit is counted, `rpc` at the end of the road. */
export function createRpc({ rows, callsPerMinute, ...parts }: RpcParts) {
  const procedures = new Map(rows.map((row) => [row.name, row]));
  const callsMax = Math.min(batchCallsMax, callsPerMinute);
  return {
    rpcDoor: createRpcDoor(procedures, callsMax),
    rpc: createRpcAnswer({
      ...parts,
      procedures,
      callsMax,
      prefix: rpcPrefix,
      strangerRefusal: refusalWithoutKey,
    }),
  };
}

interface SessionRpcParts extends Pick<RpcParts, 'contextOf' | 'report'> {
  rows: readonly SessionRow[];
  prefix: string;
}

/** The account page's own door: the same wire format for what needs a session, where no key counts for anything. */
export function createSessionRpc({ rows, ...parts }: SessionRpcParts): Middleware {
  const procedures = new Map(rows.map((row) => [row.name, row]));
  return createRpcAnswer({ ...parts, procedures, callsMax: batchCallsMax, strangerRefusal: () => null });
}

/** Says how many calls the request counts as, and how its failures are worded. */
const createRpcDoor = (procedures: ReadonlyMap<string, Row>, callsMax: number): Middleware =>
  function rpcDoor(ctx, next) {
    const { names, isBatch } = readRpcRequest(ctx, rpcPrefix);
    const [name = ''] = names;
    const isFree = !isBatch && procedures.get(name)?.scope === null;
    const cost = names.length > callsMax ? 1 : names.length;
    const state = { via: 'trpc', envelope: rpcEnvelope, cost: isFree ? 0 : cost } as const;
    Object.assign(ctx.state, state satisfies Partial<RequestState>);
    return next();
  };

interface AnswerParts extends Pick<RpcParts, 'contextOf' | 'report'> {
  procedures: ReadonlyMap<string, Callable>;
  callsMax: number;
  prefix: string;
  /**
   * What to say to somebody who may not even learn what is offered here; null for everybody else.
   * One call of theirs is looked at, as it may be of what is open to everybody.
   */
  strangerRefusal: (state: RequestState) => ApiError | null;
}

function createRpcAnswer({ procedures, contextOf, report, ...parts }: AnswerParts): Middleware {
  const { callsMax, prefix, strangerRefusal } = parts;
  const resultOf = createResultOf();
  return async function rpc(ctx) {
    const { state } = ctx;
    const { method } = state;
    const request = readRpcRequest(ctx, prefix);
    const refusal = strangerRefusal(state);
    if (refusal && request.names.length > 1) throw refusal;
    if (request.names.length > callsMax) throw tooManyCalls(callsMax);
    refuseHeaderFor(ctx, request.names.length);
    const inputOf = createInputs(ctx, request);
    const call = async (name: string, index: number) => {
      const row = procedures.get(name);
      if (!row) throw notOffered(state, refusal);
      const readInput = async () => {
        if (!allowed[row.type].includes(method)) throw wrongMethod(method, row);
        return inputOf(index);
      };
      const idempotency = idempotencyOf(ctx);
      return resultOf(await recordedCall(row, state, { context: contextOf(state), readInput, idempotency }));
    };
    const answers = request.names.map((name, index) => settled(call(name, index), { name, state, report }));
    answerRpc(ctx, request, await Promise.all(answers));
  };
}

function wrongMethod(method: string, { name, type }: Callable): ApiError {
  const Allow = allowed[type].join(', ');
  return new ApiError('method_not_allowed', `${method} is not offered for ${name}; use ${Allow}`, {
    headers: { Allow },
  });
}

const refusalWithoutKey = ({ caller, keyRefusal }: RequestState) =>
  caller ? null : unauthorized(keyRefusal);

const tooManyCalls = (callsMax: number) => badRequest(`A batch holds at most ${callsMax} calls`);

/** A call of what does not exist is one for the audit too. */
function notOffered({ calls }: RequestState, refusal: ApiError | null): ApiError {
  const failure = refusal ?? notFound('Procedure');
  const { status, apiCode: code } = failure;
  calls.push({ operation: null, target: null, isWrite: false, status, code });
  return failure;
}
