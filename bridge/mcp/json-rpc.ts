/** JSON-RPC 2.0 as it goes out. Results are JSON already: most are built once, and the others only once more. */
import { maskSecrets } from '../../routers/mask-secrets.ts';
import { type JsonChunk, type JsonChunks, joinTexts } from '../http/json-chunks.ts';

export type MessageId = string | number | null;

export interface JsonRpcError {
  code: number;
  message: string;
  data?: unknown;
}

export const resultReply = (id: MessageId, ...result: JsonChunk[]): JsonChunks =>
  joinTexts([`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, ...result, '}']);

export const errorReply = (id: MessageId, { code, message, data }: JsonRpcError): JsonChunks => [
  maskSecrets(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })),
];

/** The id of whatever was sent; null where none can be read. */
export function idOf(message: unknown): MessageId {
  const { id } = Object(message);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
