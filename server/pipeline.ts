/**
 * The one pipeline of every mount: shed, audit, authenticate, parse, limit, run, respond. A protocol supplies how a request
 * is parsed and how results and errors are written; every guard is here, once.
 */

import { type Call, type Exchange, isOperationCall, type Reply } from '../bridge/http/exchange.ts';
import { lengthOf } from '../bridge/http/json-chunks.ts';
import type {
  Middleware,
  Protocol,
  Report,
  RequestState,
  SelectedProtocol,
} from '../bridge/http/request-state.ts';
import type { CallResult, RunCall, TakeTurn } from '../bridge/run-call.ts';
import { badRequest } from '../routers/errors.ts';
import { compose } from './http/mount.ts';
import type { TakeEarly } from './http/take-early.ts';

interface PipelineParts {
  shed: Middleware;
  audit: Middleware;
  rateLimit: Middleware;
  /** Null where the limit is known at once. */
  takeEarly: TakeEarly | null;
  runCall: RunCall;
  takeBatchTurn: TakeTurn;
  report: Report;
}

export type Pipeline = ReturnType<typeof createPipeline>;

export function createPipeline({ shed, audit, rateLimit, takeEarly, ...parts }: PipelineParts) {
  return {
    /** @param authenticate identifies the caller by a key or a session; it refuses no request */
    serve<Parsed extends Exchange>(protocol: Protocol<Parsed>, authenticate: Middleware): Middleware {
      const parse = createParse(protocol, rateLimit);
      const run = createRun(protocol, parts);
      const early = takeEarly?.(protocol) ?? null;
      return compose(selectProtocol(protocol), shed, audit, early, authenticate, parse, rateLimit, run);
    },
    /** For what calls no operation and limits itself. */
    serveOther: (protocol: SelectedProtocol, handle: Middleware): Middleware =>
      compose(selectProtocol(protocol), shed, handle),
    /** For pages, which call no operation: limited by address, but for callers with a key. */
    servePage: (authenticate: Middleware, page: Middleware): Middleware =>
      compose(shed, authenticate, freeOfCost, rateLimit, page),
  };
}

const selectProtocol = ({ name, formatError }: SelectedProtocol): Middleware => {
  const protocol = { name, formatError };
  return function select(ctx, next) {
    ctx.state.protocol = protocol;
    return next();
  };
};

const freeOfCost: Middleware = function freeOfCost(ctx, next) {
  ctx.state.exchange = { calls: [], cost: { calls: 0, messages: 0 }, isBatch: false };
  return next();
};

/** A request that cannot be parsed counts against the limit like any other. */
const createParse = <Parsed extends Exchange>(
  protocol: Protocol<Parsed>,
  rateLimit: Middleware,
): Middleware =>
  async function parse(ctx, next) {
    try {
      ctx.state.exchange = await protocol.parse(ctx);
    } catch (failure) {
      ctx.state.exchange = { calls: [], cost: protocol.unparsedCost, isBatch: false };
      return rateLimit(ctx, () => Promise.reject(failure));
    }
    return next();
  };

/** The longest response of a batch, which is held in memory whole: calls beyond it are refused. */
const batchResponseBytesMax = 4 * 1024 * 1024;

type RunParts = Pick<PipelineParts, 'runCall' | 'takeBatchTurn' | 'report'>;

/** Runs the calls, a few side by side, each with its own outcome. A batch as a whole waits for its turn among its user's. */
const createRun = <Parsed extends Exchange>(
  protocol: Protocol<Parsed>,
  { takeBatchTurn, ...parts }: RunParts,
): Middleware => {
  const reply = createReply(protocol, parts);
  const replyToBatch = async (calls: readonly Call[], state: RequestState): Promise<Reply[]> => {
    const bound = createBatchBound();
    const replyTo = (call: Call) => reply(call, state, bound);
    const replies: Reply[] = [];
    for (let at = 0; at < calls.length; at += protocol.concurrency)
      replies.push(...(await Promise.all(calls.slice(at, at + protocol.concurrency).map(replyTo))));
    return replies;
  };
  return async function run(ctx) {
    const { state } = ctx;
    const exchange = state.exchange as Parsed; // left by this protocol's own parse
    const { calls, isBatch } = exchange;
    if (isBatch) {
      const replies = await takeBatchTurn(state, () => replyToBatch(calls, state));
      return protocol.respond(ctx, exchange, replies);
    }
    const [call] = calls; // none for OPTIONS and for MCP messages
    const replies = call ? [await reply(call, state, null)] : [];
    return protocol.respond(ctx, exchange, replies);
  };
};

const createReply =
  (
    protocol: Pick<Protocol, 'formatError' | 'formatResult'>,
    { runCall, report }: Pick<RunParts, 'runCall' | 'report'>,
  ) =>
  async (call: Call, state: RequestState, bound: BatchBound | null): Promise<Reply> => {
    const makeReply = ({ status, output }: CallResult): Reply => {
      const reply = { status, headers: {}, json: protocol.formatResult(output, call) };
      bound?.count(call, reply);
      return reply;
    };
    try {
      return await runCall(call, state, { beforeCall: bound?.requireSpace, makeReply });
    } catch (failure) {
      report(failure, state);
      const { status, headers, body } = protocol.formatError(failure, state, call);
      return { status, headers, json: JSON.stringify(body) };
    }
  };

type BatchBound = ReturnType<typeof createBatchBound>;

/** Bounds the responses of a batch together: what refuses a call here is recorded as its refusal. */
function createBatchBound() {
  let bytes = 0;
  return {
    requireSpace() {
      if (bytes > batchResponseBytesMax) throw responseTooLong();
    },
    count(call: Call, { json }: Reply) {
      const length = lengthOf(json);
      bytes += length;
      if (isRead(call) && bytes > batchResponseBytesMax && bytes > length) throw responseTooLong();
    },
  };
}

/** A write is reported beyond the bound, too: it has been made, and its result is short. */
const isRead = (call: Call) => isOperationCall(call) && call.operation.type === 'query';

const responseTooLong = () => badRequest('The answer of this batch is too long; nothing was done, ask again');
