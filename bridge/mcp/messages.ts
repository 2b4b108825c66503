/**
 * JSON-RPC messages in the two generations of MCP. Results that never change are built once. Up to 2025-11-25 a client opens
 * with `initialize`. Since 2026-07-28 there is no handshake, and each result names its type and its server.
 */

import { SERVER_INFO_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { agentGuide } from '../../routers/agent-guide.ts';
import { maskSecrets } from '../../routers/support/mask-secrets.ts';
import { isJsonObject } from '../json.ts';
import { type Brand, logoOf } from '../pages/brand.ts';
import { type OperationCall, toErrorResponse } from '../protocol.ts';
import { version } from '../version.ts';
import { foreignTextMeta, hasForeignText, type Tool, type ToolOperation } from './tools.ts';

type MessageId = string | number | null;

export interface JsonRpcError {
  code: number;
  message: string;
  data?: unknown;
}

export const resultMessage = (id: MessageId, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

export function idOf(message: unknown): MessageId {
  const { id } = Object(message);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Some clients send null for params or metadata that they omit. */
export function withoutNulls(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const { params } = message;
  if (params === null) return { ...message, params: undefined };
  if (!isJsonObject(params) || params['_meta'] !== null) return message;
  const { _meta: _, ...others } = params;
  return { ...message, params: others };
}

export interface ToolCall extends OperationCall {
  operation: ToolOperation;
  id: MessageId;
  version: ProtocolVersion;
}

export type ResponsePart = string | null | ToolCall;

export interface DispatchResult {
  status: number;
  part: ResponsePart;
}

export const noResponse: DispatchResult = { status: 202, part: null };

export const errorResult = (
  status: number,
  id: MessageId,
  { code, message, data }: JsonRpcError,
): DispatchResult => ({
  status,
  part: maskSecrets(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })),
});

export const isToolCall = (part: ResponsePart): part is ToolCall => typeof part === 'object' && part !== null;

const modernVersion = '2026-07-28';

/** Newest first. */
const legacyVersions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;

export const supportedVersions = [modernVersion, ...legacyVersions];

export interface ProtocolVersion {
  names: readonly string[];
  connectMethod: string;
  writeConnectResult: (serverInfo: ServerInfo, params: Record<string, unknown>) => string;
  results: ReadonlyMap<string, string>;
  resultMembers: object;
  unknownMethodStatus: 200 | 404;
}

export type ServerInfo = ReturnType<ReturnType<typeof createServerInfo>>;

const identifyServer = ({ name }: Brand) => ({ name, title: name, version });

export function createServerInfo(brand: Brand) {
  const { contentType: mimeType, bytes } = logoOf(brand);
  const src = `data:${mimeType};base64,${bytes.toString('base64')}`;
  const icons = src.length <= iconLengthMax ? { icons: [{ src, mimeType }] } : {};
  return (websiteUrl: string) => ({ ...identifyServer(brand), websiteUrl, ...icons });
}

const iconLengthMax = 8 * 1024;

const capabilities = { tools: {} };
const instructions =
  'Every tool acts as the owner of the API key. A refused call is an error result whose text is ' +
  '{"error": {"code", "message"}}; the message says what to correct, which scope the key lacks, or how long to wait. ' +
  agentGuide;

/** The cached results change only with a deployment. */
const cacheHints = { ttlMs: 300_000, cacheScope: 'private' };

export const createLegacyVersion = (tools: readonly Tool[]): ProtocolVersion => ({
  names: legacyVersions,
  connectMethod: 'initialize',
  /** A client that requests an unknown version is offered our newest one, because MCP does not allow a refusal. */
  writeConnectResult(serverInfo, { protocolVersion: requested }) {
    const protocolVersion = legacyVersions.find((known) => known === requested) ?? legacyVersions[0];
    return JSON.stringify({ protocolVersion, capabilities, serverInfo, instructions });
  },
  results: new Map([
    ['ping', '{}'],
    ['tools/list', JSON.stringify({ tools })],
  ]),
  resultMembers: {},
  unknownMethodStatus: 200,
});

const metaOf = (serverInfo: object) => ({
  resultType: 'complete',
  _meta: { [SERVER_INFO_META_KEY]: serverInfo },
});

export function createModernVersion(tools: readonly Tool[], brand: Brand): ProtocolVersion {
  const common = metaOf(identifyServer(brand));
  const self = { supportedVersions, capabilities, instructions, ...cacheHints };
  return {
    names: [modernVersion],
    connectMethod: 'server/discover',
    writeConnectResult: (serverInfo) => JSON.stringify({ ...self, ...metaOf(serverInfo) }),
    results: new Map([['tools/list', JSON.stringify({ tools, ...cacheHints, ...common })]]),
    resultMembers: common,
    unknownMethodStatus: 404,
  };
}

export function toolResult({ id, version, operation }: ToolCall, output: object): string {
  const { tool } = operation;
  const json = JSON.stringify(output);
  const common = hasForeignText(tool, output)
    ? withMeta(version.resultMembers, foreignTextMeta(tool))
    : version.resultMembers;
  const more = JSON.stringify(common).slice(1); // ends with the closing brace of the result
  const members = `{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
  return resultMessage(id, `${members}${more === '}' ? '' : ','}${more}`);
}

const withMeta = (members: { _meta?: object }, meta: object) => ({
  ...members,
  _meta: { ...members._meta, ...meta },
});

/**
 * An agent reads and acts on an error result, but not on a protocol error. The challenge by which a client asks its
 * user for more scopes is in the metadata, because a header could belong to another call of the batch.
 */
export function toolError({ id, version: { resultMembers } }: ToolCall, failure: unknown) {
  const { headers, body } = toErrorResponse(failure);
  const content = [{ type: 'text', text: JSON.stringify(body) }];
  const challenge = headers['WWW-Authenticate'];
  const more = challenge ? withMeta(resultMembers, { 'mcp/www_authenticate': [challenge] }) : resultMembers;
  return { jsonrpc: '2.0', id, result: { content, isError: true, ...more } };
}
