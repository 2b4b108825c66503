/** What a message to /mcp came to: a reply that is ready, nothing to say, or a call to make. */
import type { JsonPieces } from '../json-pieces.ts';
import type { Era } from './eras.ts';
import { errorReply, type JsonRpcError, type MessageId } from './json-rpc.ts';
import type { ToolRow } from './tools.ts';

export interface ToolCall {
  row: ToolRow;
  /** Whatever was sent; the row's shape judges it. */
  args: unknown;
  id: MessageId;
  era: Era;
}

/** Null: nothing to say, for nobody answers a notification. */
export type Part = JsonPieces | null | ToolCall;

export interface Heard {
  /** The HTTP status of the answer. */
  status: number;
  part: Part;
}

export const nothingToSay: Heard = { status: 202, part: null };

export const refused = (status: number, id: MessageId, error: JsonRpcError): Heard => ({
  status,
  part: errorReply(id, error),
});

export const isToolCall = (part: Part): part is ToolCall => part !== null && 'row' in part;
