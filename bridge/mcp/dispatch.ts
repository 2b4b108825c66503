/**
 * Dispatches a message of either generation of MCP: to a result built at start-up, or to a tool call.
 * `classifyInboundRequest` decides the order of refusals, as the protocol defines it. A call through the SDK's server
 * takes many times as long (`mcp-sdk` in the benchmark).
 */
import {
  classifyInboundRequest,
  INVALID_PARAMS,
  type InboundHttpRequest,
  type InboundLegacyRoute,
  type InboundModernRoute,
  type JSONRPCRequest,
  METHOD_NOT_FOUND,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { isAdminScope, type Scope, scopes } from '../../routers/scopes.ts';
import { printableField } from '../../routers/support/format-zod-error.ts';
import type { Operation } from '../operations.ts';
import type { Brand } from '../pages/brand.ts';
import { headerOf, type RequestContext } from '../protocol.ts';
import { createArgumentReader, type ToolArguments } from './arguments.ts';
import {
  createLegacyVersion,
  createModernVersion,
  type DispatchResult,
  errorResult,
  idOf,
  type JsonRpcError,
  noResponse,
  type ProtocolVersion,
  resultMessage,
  type ServerInfo,
} from './messages.ts';
import { describeTool, readTools, type ToolOperation } from './tools.ts';

export type Dispatch = (message: unknown, context: DispatchContext) => DispatchResult;

interface DispatchContext {
  headers: StandardHeaders;
  describeSelf: () => ServerInfo;
}

type Tools = ReadonlyMap<
  unknown,
  { operation: ToolOperation; readArguments: (args: unknown) => ToolArguments }
>;

/** Every key can call all tools. Lists hide only tools for administrators, so there are few dispatches to cache. */
export function createDispatchByScopes(operations: readonly Operation[], brand: Brand) {
  const toolOperations = readTools(operations);
  const tools: Tools = new Map(
    toolOperations.map((operation) => [
      operation.tool.name,
      { operation, readArguments: createArgumentReader(operation) },
    ]),
  );
  const dispatches = new Map<string, Dispatch>();
  return (heldScopes: readonly Scope[]): Dispatch => {
    const hiddenScopes = scopes.filter((scope) => isAdminScope(scope) && !heldScopes.includes(scope));
    const listed = toolOperations.filter(({ scope }) => !hiddenScopes.some((each) => each === scope));
    const name = hiddenScopes.join();
    const dispatch = dispatches.get(name) ?? createDispatch(tools, listed, brand);
    dispatches.set(name, dispatch);
    return dispatch;
  };
}

function createDispatch(tools: Tools, listed: readonly ToolOperation[], brand: Brand): Dispatch {
  const described = listed.map(describeTool);
  const [legacy, modern] = [createLegacyVersion(described), createModernVersion(described, brand)];
  return function dispatch(message, { headers, describeSelf }) {
    const route = classifyInboundRequest({ httpMethod: 'POST', ...headers, body: message });
    if (route.kind === 'reject') return errorResult(route.httpStatus, idOf(message), route);
    const version = route.kind === 'modern' ? modern : legacy;
    const unsupported = findUnsupported(route, version);
    if (unsupported) return errorResult(400, idOf(message), unsupported);
    if (!isRequest(route)) return noResponse;
    const request = message as JSONRPCRequest; // isRequest has checked it
    const problem = route.kind === 'modern' ? findHeaderProblem(headers, request) : null;
    if (problem) return errorResult(400, request.id, problem);
    return handleRequest(request, version, { tools, describeSelf });
  };
}

type Route = InboundLegacyRoute | InboundModernRoute;

/** `initialize` may request any version and is offered a supported one. */
function findUnsupported(route: Route, { names }: ProtocolVersion): JsonRpcError | null {
  if (route.kind === 'legacy' && route.reason === 'initialize') return null;
  const requested =
    route.kind === 'modern' ? (route.classification.revision ?? 'unknown') : route.requestedVersion;
  return requested === undefined || names.includes(requested)
    ? null
    : new UnsupportedProtocolVersionError({ supported: [...names], requested });
}

const isRequest = (route: Route) =>
  route.kind === 'modern'
    ? route.messageKind === 'request'
    : route.reason === 'initialize' || route.reason === 'no-claim';

function handleRequest(
  { id, method, params = {} }: JSONRPCRequest,
  version: ProtocolVersion,
  { tools, describeSelf }: { tools: Tools } & Pick<DispatchContext, 'describeSelf'>,
): DispatchResult {
  if (method === 'tools/call') {
    const tool = tools.get(params['name']);
    if (!tool) return errorResult(200, id, unknownTool(params['name']));
    const { operation, readArguments } = tool;
    const { input, idempotencyKey } = readArguments(params['arguments']);
    return { status: 200, part: { operation, readInput: () => input, idempotencyKey, id, version } };
  }
  if (method === 'tools/list' && params['cursor'] != null)
    return errorResult(200, id, invalidParams('Unknown cursor: all tools are on the first page'));
  if (
    method === 'initialize' &&
    method === version.connectMethod &&
    typeof params['protocolVersion'] !== 'string'
  )
    return errorResult(200, id, invalidParams('initialize needs a protocolVersion'));
  const result =
    method === version.connectMethod
      ? version.writeConnectResult(describeSelf(), params)
      : version.results.get(method);
  if (result !== undefined) return { status: 200, part: resultMessage(id, result) };
  return errorResult(version.unknownMethodStatus, id, {
    code: METHOD_NOT_FOUND,
    message: 'Method not found',
  });
}

const invalidParams = (message: string): JsonRpcError => ({ code: INVALID_PARAMS, message });

const unknownTool = (name: unknown) =>
  invalidParams(
    typeof name === 'string'
      ? `Unknown tool: ${printableField(name)}`
      : 'The name of the tool must be a string',
  );

type StandardHeaders = Omit<InboundHttpRequest, 'httpMethod' | 'body'>;

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

/** `classifyInboundRequest` accepts missing headers (SEP-2243) and never compares the tool's name. */
function findHeaderProblem(
  headers: StandardHeaders,
  { method, params }: JSONRPCRequest,
): JsonRpcError | null {
  const toolName = method === 'tools/call' ? params?.['name'] : undefined;
  if (headers.protocolVersionHeader === undefined) return mismatch('MCP-Protocol-Version is missing');
  if (headers.mcpMethodHeader === undefined) return mismatch('Mcp-Method is missing');
  if (typeof toolName !== 'string') return null;
  if (headers.mcpNameHeader === undefined) return mismatch('Mcp-Name is missing');
  if (decodeHeader(headers.mcpNameHeader) !== toolName)
    return mismatch('Mcp-Name is not the name in the body');
  return null;
}

const mismatch = (problem: string): JsonRpcError => ({
  code: headerMismatch,
  message: `The request headers and the body disagree: ${problem}`,
});

/** A name that a header cannot carry arrives as `=?base64?...?=`. Returns null for invalid base64. */
function decodeHeader(value: string): string | null {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString() : null;
}
