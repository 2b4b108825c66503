/** JSON-RPC 2.0 as it goes out. Results are JSON already: most are built once, and the others only once more. */

export type MessageId = string | number | null;

export interface JsonRpcError {
  code: number;
  message: string;
  data?: unknown;
}

export const resultReply = (id: MessageId, resultJson: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`;

export const errorReply = (id: MessageId, { code, message, data }: JsonRpcError): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });

/** The id of whatever was sent; null where none can be read. */
export function idOf(message: unknown): MessageId {
  const { id } = Object(message);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
