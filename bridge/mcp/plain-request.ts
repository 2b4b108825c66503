/**
 * Tells at sight what most messages are: a request of the older era that claims nothing which the protocol's own
 * classification would have to weigh. That one parses a message three times over, which is dearer than most answers;
 * whatever is unusual in the least is left to it, and a test holds the two to one outcome.
 */
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import { isJsonObject } from '../json-body.ts';
import { legacyVersions } from './eras.ts';
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
