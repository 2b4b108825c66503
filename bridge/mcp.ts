/**
 * /mcp: the rows that name a tool, for AI agents, as MCP over streamable HTTP. Stateless, answers in JSON only, in both
 * eras of the protocol. A tool call is a call of the API: same key, same limit, same procedure, same audit.
 */
import { PARSE_ERROR } from '@modelcontextprotocol/server';
import { ApiError, asApiError, badRequest, unauthorized } from '../routers/errors.ts';
import { recordedCall } from './call-record.ts';
import type { Row } from './catalogue.ts';
import { idempotencyOf, refuseHeaderFor } from './idempotency-key.ts';
import { readJson } from './json-body.ts';
import { type JsonPieces, joinTexts, lengthOf } from './json-pieces.ts';
import { type Exchange, hearAll } from './mcp/exchange.ts';
import { createHear } from './mcp/hear.ts';
import { isToolCall, type ToolCall } from './mcp/heard.ts';
import { splitArguments } from './mcp/idempotency-argument.ts';
import { errorReply } from './mcp/json-rpc.ts';
import { readStandardHeaders } from './mcp/standard-headers.ts';
import { createToolResult, toolRefusal } from './mcp/tool-result.ts';
import {
  answerJson,
  type ContextOf,
  type Middleware,
  type Report,
  type RequestContext,
} from './request-state.ts';

export const mcpPath = '/mcp';

/** How many messages beside tool calls a key may send. */
export const mcpMessagesPerMinute = 600;

interface McpParts {
  rows: readonly Row[];
  contextOf: ContextOf;
  report: Report;
  /** Counts tool calls: the very limit that REST and tRPC calls count against. */
  limitCalls: Middleware;
  /** Counts all other messages, so that they cannot be used to flood. */
  limitMessages: Middleware;
  /** Whether pages of an origin may come here; an empty one is no page's. */
  isKnownOrigin: (origin: string) => boolean;
}

/** Stands behind authentication and before the limit, which it asks itself: what to count is in the body. */
export function createMcp({ rows, isKnownOrigin, ...parts }: McpParts): Middleware {
  const api = { ...parts, toolResult: createToolResult() };
  const hear = createHear(rows);
  const listen = async (ctx: RequestContext): Promise<Exchange> => {
    if (ctx.state.method !== 'POST') throw methodNotAllowed(ctx.state.method);
    try {
      return hearAll(hear, await ctx.state.waitForClient(readJson(ctx.req)), readStandardHeaders(ctx));
    } catch (failure) {
      return unreadable(failure);
    }
  };
  return async function mcp(ctx) {
    ctx.state.via = 'mcp';
    if (!isKnownOrigin(ctx.get('Origin'))) throw foreignOrigin();
    if (ctx.state.method === 'OPTIONS') return offer(ctx);
    if (!ctx.state.caller) throw unauthorized(ctx.state.keyRefusal);
    const exchange = await listen(ctx).catch(async (failure) => {
      await count(ctx, 1, parts.limitMessages);
      throw failure;
    });
    await admit(ctx, exchange, parts);
    await answer(ctx, exchange, api);
  };
}

/** Counts what an exchange holds, or refuses all of it; a lone tool call is refused in its own words. */
async function admit(ctx: RequestContext, { parts, isBatch }: Exchange, doors: McpDoors): Promise<void> {
  const calls = parts.filter(isToolCall);
  const [call] = calls;
  await count(ctx, parts.length - calls.length, doors.limitMessages);
  if (call && !isBatch)
    ctx.state.envelope = (failure) => ({ status: 200, headers: {}, body: toolRefusal(call, failure) });
  await count(ctx, calls.length, doors.limitCalls);
  refuseHeaderFor(ctx, parts.length);
}

type McpDoors = Pick<McpParts, 'limitCalls' | 'limitMessages'>;

async function count(ctx: RequestContext, cost: number, limit: Middleware): Promise<void> {
  ctx.state.cost = cost;
  if (cost > 0) await limit(ctx, async () => {});
}

/** Makes the calls in their order, each with an outcome of its own, and sends the replies. */
async function answer(ctx: RequestContext, { status, parts, isBatch }: Exchange, api: McpApi): Promise<void> {
  const replies: JsonPieces[] = [];
  let length = 0;
  for (const part of parts) {
    const isTooLong = length > batchAnswerMax;
    const reply = isToolCall(part) ? await (isTooLong ? refuseCall(part) : callTool(part, ctx, api)) : part;
    if (reply === null) continue;
    replies.push(reply);
    length += lengthOf(reply);
  }
  const json = isBatch && replies.length > 0 ? inBrackets(replies) : replies.flat();
  answerJson(ctx, replies.length > 0 ? status : 202, json);
}

const inBrackets = (replies: readonly JsonPieces[]): JsonPieces =>
  joinTexts(['[', ...replies.flatMap((reply, index) => (index === 0 ? reply : [',', ...reply])), ']']);

/** A batch whose answer is longer than this, in bytes, makes no further calls: it would be held in memory whole. */
const batchAnswerMax = 4 * 1024 * 1024;

const refuseCall = (call: ToolCall): JsonPieces =>
  refusalOf(call, badRequest('The answer of this batch is too long; nothing was done, ask again'));

const refusalOf = (call: ToolCall, failure: unknown): JsonPieces => [
  JSON.stringify(toolRefusal(call, failure)),
];

interface McpApi extends Pick<McpParts, 'contextOf' | 'report'> {
  toolResult: ReturnType<typeof createToolResult>;
}

async function callTool(call: ToolCall, ctx: RequestContext, api: McpApi): Promise<JsonPieces> {
  const { contextOf, report, toolResult } = api;
  const { state } = ctx;
  const { args, idempotencyKey } = splitArguments(call);
  const readInput = async () => args;
  const idempotency = idempotencyOf(ctx, idempotencyKey);
  try {
    const output = await recordedCall(call.row, state, { context: contextOf(state), readInput, idempotency });
    return toolResult(call, output);
  } catch (failure) {
    report(failure, state);
    return refusalOf(call, failure);
  }
}

/** A body that is not JSON is the protocol's matter; one that is too long is HTTP's. */
function unreadable(failure: unknown): Exchange {
  const { apiCode, message } = asApiError(failure);
  if (apiCode !== 'bad_request') throw failure;
  return { status: 400, parts: [errorReply(null, { code: PARSE_ERROR, message })], isBatch: false };
}

const Allow = 'POST, OPTIONS';

function offer(ctx: RequestContext): void {
  ctx.state.headers['Allow'] = Allow;
  ctx.status = 204;
}

/** There are no streams to open and no sessions to end. */
const methodNotAllowed = (method: string) =>
  new ApiError('method_not_allowed', `${method} is not offered here; use POST`, { headers: { Allow } });

const foreignOrigin = () =>
  new ApiError('forbidden_origin', 'Pages of this origin may not call; see CORS_ORIGINS');
