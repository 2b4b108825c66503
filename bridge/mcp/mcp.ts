/**
 * /mcp: the operations that name a tool, for AI agents, as MCP over streamable HTTP. Stateless, JSON responses only, both
 * generations of the protocol. A tool call is a call of the API: same key, same limit, same procedure, same audit.
 */
import { PARSE_ERROR } from '@modelcontextprotocol/server';
import type { Caller } from '../../routers/context.ts';
import { ApiError, asApiError, unauthorized } from '../../routers/errors.ts';
import { type ErrorResponse, toErrorResponse } from '../http/error-response.ts';
import { type Call, isOperationCall, type Reply } from '../http/exchange.ts';
import { refuseIdempotencyKeyOfBatch, sentIdempotencyKey } from '../http/idempotency-key.ts';
import { readJson } from '../http/json-body.ts';
import { type JsonChunks, joinTexts } from '../http/json-chunks.ts';
import { type Protocol, type RequestContext, respondAllow, respondJson } from '../http/request-state.ts';
import type { Operation } from '../operations.ts';
import { dispatchBody, type McpExchange, singleExchange } from './batch.ts';
import { createDispatchByScopes, type Dispatch } from './dispatch.ts';
import { errorResult, isToolCall, type ToolCall } from './json-rpc.ts';
import { readStandardHeaders } from './standard-headers.ts';
import { createToolResult, toolError } from './tool-result.ts';

export const mcpPath = '/mcp';

interface McpParts {
  operations: readonly Operation[];
  /** Whether pages of an origin may call; programs send an empty one. */
  isKnownOrigin: (origin: string) => boolean;
}

export function createMcp({ operations, isKnownOrigin }: McpParts): Protocol<McpExchange> {
  const dispatchFor = createDispatchByScopes(operations);
  const toolResult = createToolResult();
  return {
    name: 'mcp',
    concurrency: 1, // the calls of a batch run in their order
    unparsedCost: { calls: 0, messages: 1 },
    async parse(ctx) {
      if (!isKnownOrigin(ctx.get('Origin'))) throw foreignOrigin();
      if (ctx.state.method === 'OPTIONS') return optionsExchange;
      const exchange = await readExchange(ctx, dispatchFor);
      refuseIdempotencyKeyOfBatch(ctx, exchange.parts.length);
      return exchange;
    },
    formatResult: (output, call) => toolResult(asToolCall(call), output),
    formatError: (failure, _state, call) =>
      call
        ? { status: 200, headers: {}, body: toolError(asToolCall(call), failure) }
        : toProtocolError(failure),
    respond: respondMcp,
  };
}

/**
 * A failure of the request as a whole. The refusals that a correct client meets have a JSON-RPC body, because clients drop
 * any other and would show no reason.
 */
function toProtocolError(failure: unknown): ErrorResponse {
  const response = toErrorResponse(failure);
  if (!metByClients.has(response.status)) return response;
  const { apiCode, message } = asApiError(failure);
  const error = { code: serverError, message, data: { code: apiCode } };
  return { ...response, body: { jsonrpc: '2.0', id: null, error } };
}

const metByClients: ReadonlySet<number> = new Set([401, 403, 429, 503]);

/** The first code that JSON-RPC leaves to servers. */
const serverError = -32_000;

/** Every call of this protocol's exchanges is one. */
function asToolCall(call: Call): ToolCall {
  if (!isOperationCall(call) || !('version' in call)) throw new Error('Not a tool call');
  return call as ToolCall; // only tool calls have a version
}

async function readExchange(
  ctx: RequestContext,
  dispatchFor: (scopes: Caller['scopes']) => Dispatch,
): Promise<McpExchange> {
  requireCaller(ctx);
  if (ctx.state.method !== 'POST') throw methodNotAllowed(ctx.state.method);
  try {
    const body = await readJson(ctx);
    const { scopes } = requireCaller(ctx); // the key may have been revoked while the body arrived
    const exchange = dispatchBody(dispatchFor(scopes), body, readStandardHeaders(ctx));
    for (const call of exchange.calls) call.idempotencyKey ??= sentIdempotencyKey(ctx);
    return exchange;
  } catch (failure) {
    return parseError(failure);
  }
}

function requireCaller({ state: { caller, keyRefusal } }: RequestContext): Caller {
  if (!caller) throw unauthorized(keyRefusal);
  return caller;
}

/** A body that is not JSON is answered by JSON-RPC; everything else, such as one that is too long, by HTTP. */
function parseError(failure: unknown): McpExchange {
  const { apiCode, message } = asApiError(failure);
  if (apiCode !== 'bad_request') throw failure;
  return singleExchange(errorResult(400, null, { code: PARSE_ERROR, message }));
}

const Allow = 'POST, OPTIONS';

const optionsExchange: McpExchange = {
  status: 204,
  parts: [],
  calls: [],
  cost: { calls: 0, messages: 0 },
  isBatch: false,
};

function respondMcp(ctx: RequestContext, exchange: McpExchange, replies: readonly Reply[]): void {
  const { status, parts, isBatch } = exchange;
  if (exchange === optionsExchange) {
    respondAllow(ctx, Allow);
    return;
  }
  const ofCalls = replies.values();
  const sent = parts.flatMap((part) => {
    const json = part !== null && isToolCall(part) ? ofCalls.next().value?.json : part;
    return json == null ? [] : [typeof json === 'string' ? [json] : json];
  });
  const json = isBatch && sent.length > 0 ? inBrackets(sent) : sent.flat();
  respondJson(ctx, sent.length > 0 ? status : 202, json);
}

const inBrackets = (replies: readonly JsonChunks[]): JsonChunks =>
  joinTexts(['[', ...replies.flatMap((reply, index) => (index === 0 ? reply : [',', ...reply])), ']']);

/** There are no streams to open and no sessions to end. */
const methodNotAllowed = (method: string) =>
  new ApiError('method_not_allowed', `${method} is not offered here; use POST`, { headers: { Allow } });

const foreignOrigin = () =>
  new ApiError('forbidden_origin', 'Pages of this origin may not call; see CORS_ORIGINS');
