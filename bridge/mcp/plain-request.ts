/**
 * Recognizes the most common message: a request of the older generation without anything that the SDK's classification
 * would have to decide. That one parses a message three times, which costs more than most results; it gets everything
 * else, and a test compares the two.
 */
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { isJsonObject } from '../http/json-body.ts';
import { legacyVersions } from './protocol-versions.ts';
import type { StandardHeaders } from './standard-headers.ts';

const members = new Set(['jsonrpc', 'id', 'method', 'params']);

export function isPlainRequest(
  message: unknown,
  { protocolVersionHeader: version }: StandardHeaders,
): message is JSONRPCRequest {
  if (!isJsonObject(message) || (version !== undefined && !legacyVersions.includes(version))) return false;
  const { jsonrpc, id, method, params } = message;
  return (
    jsonrpc === '2.0' &&
    (typeof id === 'string' || Number.isSafeInteger(id)) &&
    typeof method === 'string' &&
    method !== 'initialize' &&
    (params === undefined || (isJsonObject(params) && !('_meta' in params))) &&
    Object.keys(message).every((name) => members.has(name))
  );
}
