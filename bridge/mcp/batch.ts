/** Dispatches a whole POST: one message, or a batch, which only version 2025-03-26 has. */
import { classifyInboundRequest, INVALID_REQUEST } from '@modelcontextprotocol/server';
import type { Exchange } from '../http/exchange.ts';
import type { Dispatch } from './dispatch.ts';
import { type DispatchResult, errorResult, isToolCall, type Part, type ToolCall } from './json-rpc.ts';
import type { StandardHeaders } from './standard-headers.ts';

export interface McpExchange extends Exchange {
  /** The HTTP status of the response. */
  status: number;
  /** One for each message; its tool calls are the exchange's calls. */
  parts: readonly Part[];
  calls: readonly ToolCall[];
}

const batchMessagesMax = 50;

export function dispatchBody(dispatch: Dispatch, body: unknown, headers: StandardHeaders): McpExchange {
  if (!Array.isArray(body)) return singleExchange(dispatch(body, headers));
  if (body.length > batchMessagesMax)
    return singleExchange(errorResult(400, null, { code: INVALID_REQUEST, message: tooManyMessages }));
  const outcome = classifyInboundRequest({ httpMethod: 'POST', body });
  if (outcome.kind === 'reject') return singleExchange(errorResult(outcome.httpStatus, null, outcome));
  // The version header came after batches had been removed.
  return exchangeOf(
    200,
    body.map((message) => dispatch(message, {}).part),
    true,
  );
}

export const singleExchange = ({ status, part }: DispatchResult): McpExchange =>
  exchangeOf(status, [part], false);

/** A tool call counts as a call of the API, and every other message against a separate limit. */
function exchangeOf(status: number, parts: readonly Part[], isBatch: boolean): McpExchange {
  const calls = parts.filter(isToolCall);
  return {
    status,
    parts,
    calls,
    cost: { calls: calls.length, messages: parts.length - calls.length },
    isBatch,
  };
}

const tooManyMessages = `A batch holds at most ${batchMessagesMax} messages`;
