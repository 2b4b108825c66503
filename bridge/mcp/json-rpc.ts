/** JSON-RPC 2.0: replies, and what becomes of one message to /mcp: a reply that is ready, no reply, or a tool call to run. */
import { maskSecrets } from '../../routers/mask-secrets.ts';
import type { OperationCall } from '../http/exchange.ts';
import { type JsonChunk, type JsonChunks, joinTexts } from '../http/json-chunks.ts';
import type { ProtocolVersion } from './protocol-versions.ts';
import type { ToolOperation } from './tools.ts';

export type MessageId = string | number | null;

export interface JsonRpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** A result is JSON already: most are built once at start-up. */
export const resultReply = (id: MessageId, ...result: JsonChunk[]): JsonChunks =>
  joinTexts([`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, ...result, '}']);

const errorReply = (id: MessageId, { code, message, data }: JsonRpcError): JsonChunks => [
  maskSecrets(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })),
];

/** The id of whatever was sent; null where none can be read. */
export function idOf(message: unknown): MessageId {
  const { id } = Object(message);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

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
