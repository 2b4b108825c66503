/**
 * /trpc: the catalogue's rows for typed clients, in tRPC's HTTP wire format: queries, mutations and batches.
 * Written over the rows because tRPC's own handler answers past Koa and costs several times the call.
 */
import { ApiError, badRequest, notFound, unauthorized } from '../routers/errors.ts';
import { recordedCall } from './call-record.ts';
import type { Row } from './catalogue.ts';
import type { ContextOf, Middleware, Report, RequestState } from './request-state.ts';
import { answerRpc, rpcEnvelope, settled } from './rpc-answer.ts';
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
export function createRpc({ rows, contextOf, report, callsPerMinute }: RpcParts) {
  const procedures = new Map(rows.map((row) => [row.name, row]));
  const callsMax = Math.min(batchCallsMax, callsPerMinute);
  return {
    rpcDoor: createRpcDoor(procedures, callsMax),
    rpc: createRpcAnswer({ procedures, callsMax, contextOf, report }),
  };
}

type Procedures = ReadonlyMap<string, Row>;

/** Says how many calls the request counts as, and how its failures are worded. */
const createRpcDoor = (procedures: Procedures, callsMax: number): Middleware =>
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
  procedures: Procedures;
  callsMax: number;
}

function createRpcAnswer({ procedures, callsMax, contextOf, report }: AnswerParts): Middleware {
  return async function rpc(ctx) {
    const { state, method } = ctx;
    const request = readRpcRequest(ctx, rpcPrefix);
    if (request.names.length > (state.caller ? callsMax : 1)) throw tooManyCalls(state, callsMax);
    const inputOf = createInputs(ctx, request);
    const call = async (name: string, index: number) => {
      const row = procedures.get(name);
      if (!row) throw notOffered(state);
      const readInput = async () => {
        if (!allowed[row.type].includes(method)) throw wrongMethod(method, row);
        return inputOf(index);
      };
      return recordedCall(row, state, { context: contextOf(state), readInput });
    };
    const answers = request.names.map((name, index) => settled(call(name, index), { name, state, report }));
    answerRpc(ctx, request, await Promise.all(answers));
  };
}

function wrongMethod(method: string, { name, type }: Row): ApiError {
  const Allow = allowed[type].join(', ');
  return new ApiError('method_not_allowed', `${method} is not offered for ${name}; use ${Allow}`, {
    headers: { Allow },
  });
}

/** Without a key one call is looked at, as it may be of what needs none. */
const tooManyCalls = ({ caller, keyRefusal }: RequestState, callsMax: number) =>
  caller ? badRequest(`A batch holds at most ${callsMax} calls`) : unauthorized(keyRefusal);

/** A call of what does not exist is one for the audit too. */
function notOffered({ caller, keyRefusal, calls }: RequestState): ApiError {
  const failure = caller ? notFound('Procedure') : unauthorized(keyRefusal);
  const { status, apiCode: code } = failure;
  calls.push({ operation: null, target: null, isWrite: false, status, code });
  return failure;
}
