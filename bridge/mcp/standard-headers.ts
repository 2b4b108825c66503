/** The headers of a 2026-07-28 request that repeat its body, for proxies that route by them; both must agree. */
import type { InboundHttpRequest, InboundModernRoute } from '@modelcontextprotocol/server';
import { headerOf, type RequestContext } from '../http/request-state.ts';
import type { JsonRpcError } from './json-rpc.ts';

export type StandardHeaders = Omit<InboundHttpRequest, 'httpMethod' | 'body'>;

/** An empty one counts as missing. */
export function readStandardHeaders(ctx: RequestContext): StandardHeaders {
  const protocolVersionHeader = headerOf(ctx, 'mcp-protocol-version');
  const mcpMethodHeader = headerOf(ctx, 'mcp-method');
  const mcpNameHeader = headerOf(ctx, 'mcp-name');
  return {
    ...(protocolVersionHeader && { protocolVersionHeader }),
    ...(mcpMethodHeader && { mcpMethodHeader }),
    ...(mcpNameHeader && { mcpNameHeader }),
  };
}

const headerMismatch = -32_020;

/**
 * What `classifyInboundRequest` leaves to its caller: headers that are missing (SEP-2243), and the tool's name.
 * It has compared version and method where they were sent.
 */
export function findHeaderProblem(
  headers: StandardHeaders,
  route: InboundModernRoute & { messageKind: 'request' },
): JsonRpcError | null {
  const { method, params } = route.message;
  const toolName = method === 'tools/call' ? params?.['name'] : undefined;
  if (headers.protocolVersionHeader === undefined) return mismatch('MCP-Protocol-Version is missing');
  if (headers.mcpMethodHeader === undefined) return mismatch('Mcp-Method is missing');
  if (typeof toolName !== 'string') return null;
  if (headers.mcpNameHeader === undefined) return mismatch('Mcp-Name is missing');
  if (decoded(headers.mcpNameHeader) !== toolName) return mismatch('Mcp-Name is not the name in the body');
  return null;
}

const mismatch = (problem: string): JsonRpcError => ({
  code: headerMismatch,
  message: `The request headers and the body disagree: ${problem}`,
});

/** A name that a header cannot carry comes as `=?base64?...?=`; one that is not proper base64 decodes to nothing. */
function decoded(value: string): string | null {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString() : null;
}
