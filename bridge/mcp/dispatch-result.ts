/** What becomes of one message to /mcp: a reply that is ready, no reply, or a tool call to run. */

import type { OperationCall } from '../http/exchange.ts';
import type { JsonChunks } from '../http/json-chunks.ts';
import { errorReply, type JsonRpcError, type MessageId } from './json-rpc.ts';
import type { ProtocolVersion } from './protocol-versions.ts';
import type { ToolOperation } from './tools.ts';

export interface ToolCall extends OperationCall {
  operation: ToolOperation;
  id: MessageId;
  version: ProtocolVersion;
}

/** Null: no reply, as a notification gets none. */
export type Part = JsonChunks | null | ToolCall;

export interface DispatchResult {
  /** The HTTP status of the response. */
  status: number;
  part: Part;
}

export const noReply: DispatchResult = { status: 202, part: null };

export const errorResult = (status: number, id: MessageId, error: JsonRpcError): DispatchResult => ({
  status,
  part: errorReply(id, error),
});

export const isToolCall = (part: Part): part is ToolCall => part !== null && 'operation' in part;
