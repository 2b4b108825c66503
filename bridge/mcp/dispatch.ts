/**
 * Dispatches a message of either generation: to a result that was built at start-up, or as a tool call to run. The order of
 * refusals is the protocol's own (`classifyInboundRequest`); what passes them is handled.
 * Not the SDK's server: a call through it takes many times as long (`mcp-sdk` in the benchmark).
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
import { isJsonObject } from '../json.ts';
import type { Operation } from '../operations.ts';
import { headerOf, type RequestContext } from '../protocol.ts';
import { createArgumentReader, type ToolArguments } from './arguments.ts';
import {
  createInitializeResult,
  createLegacyVersion,
  createModernVersion,
  type DispatchResult,
  errorResult,
  idOf,
  type JsonRpcError,
  legacyVersions,
  type MessageId,
  modernVersion,
  noMessage,
  type ProtocolVersion,
  resultMessage,
} from './messages.ts';
import { describeTool, readTools, type ToolOperation } from './tools.ts';

export type Dispatch = (message: unknown, headers: StandardHeaders) => DispatchResult;

/**
 * A dispatch for the scopes of a key: tools for administrators are listed only for keys that hold the scope.
 * Each is built once for a set of such scopes, of which there are few.
 */
export function createDispatchByScopes(operations: readonly Operation[], hostName: string) {
  const dispatches = new Map<string, Dispatch>();
  return (held: readonly Scope[]): Dispatch => {
    const adminScopes = scopes.filter((scope) => isAdminScope(scope) && held.includes(scope));
    const name = adminScopes.join();
    const isListed = ({ scope }: Operation) =>
      scope === null || !isAdminScope(scope) || adminScopes.some((each) => each === scope);
    const dispatch =
      dispatches.get(name) ?? createDispatch(createMethodHandlers(operations, isListed, hostName));
    dispatches.set(name, dispatch);
    return dispatch;
  };
}

function createDispatch(handlers: Handlers): Dispatch {
  return function dispatch(message, headers) {
    if (isPlainRequest(message, headers)) return handlers.legacy(message);
    const outcome = classifyInboundRequest({ httpMethod: 'POST', ...headers, body: message });
    if (outcome.kind === 'reject') return errorResult(outcome.httpStatus, idOf(message), outcome);
    return outcome.kind === 'modern'
      ? dispatchModern(outcome, headers, handlers.modern)
      : dispatchLegacy(outcome, message as JSONRPCRequest, handlers); // the classification checked what is read of it
  };
}

function dispatchModern(
  route: InboundModernRoute,
  headers: StandardHeaders,
  handle: HandleRequest,
): DispatchResult {
  const { message, classification } = route;
  if (classification.revision !== modernVersion)
    return unsupported([modernVersion], classification.revision ?? 'unknown', message);
  if (route.messageKind === 'notification') return noMessage;
  const problem = findHeaderProblem(headers, route);
  return problem ? errorResult(400, route.message.id, problem) : handle(route.message);
}

function dispatchLegacy(
  route: InboundLegacyRoute,
  message: JSONRPCRequest,
  { legacy: handle, hostName }: Handlers,
): DispatchResult {
  const { reason, requestedVersion } = route;
  if (reason === 'initialize') return initialize(message.id, requestedVersion, hostName);
  if (requestedVersion !== undefined && !legacyVersions.includes(requestedVersion))
    return unsupported(legacyVersions, requestedVersion, message);
  return reason === 'no-claim' ? handle(message) : noMessage;
}

const initialize = (id: MessageId, requested: string | undefined, hostName: string): DispatchResult =>
  requested === undefined
    ? errorResult(200, id, { code: INVALID_PARAMS, message: 'initialize needs a protocolVersion' })
    : { status: 200, part: resultMessage(id, createInitializeResult(requested, hostName)) };

const unsupported = (supported: readonly string[], requested: string, message: unknown): DispatchResult =>
  errorResult(
    400,
    idOf(message),
    new UnsupportedProtocolVersionError({ supported: [...supported], requested }),
  );

type HandleRequest = (request: JSONRPCRequest) => DispatchResult;

type Handlers = ReturnType<typeof createMethodHandlers>;

/** @param isListed whether tools/list shows an operation; all can be called */
function createMethodHandlers(
  operations: readonly Operation[],
  isListed: (operation: Operation) => boolean,
  hostName: string,
) {
  const toolOperations = readTools(operations);
  const tools = new Map(
    toolOperations.map((operation) => {
      return [operation.tool.name, { operation, readArguments: createArgumentReader(operation) }];
    }),
  );
  const described = toolOperations.filter(isListed).map(describeTool);
  return {
    hostName,
    legacy: createHandleRequest(createLegacyVersion(described), tools),
    modern: createHandleRequest(createModernVersion(described, hostName), tools),
  };
}

interface CallableTool {
  operation: ToolOperation;
  readArguments: (args: unknown) => ToolArguments;
}

function createHandleRequest(
  version: ProtocolVersion,
  tools: ReadonlyMap<unknown, CallableTool>,
): HandleRequest {
  return function handleRequest({ id, method, params }) {
    if (method === 'tools/call') {
      const { name, arguments: args } = params ?? {};
      const tool = tools.get(name);
      if (!tool) return errorResult(200, id, unknownTool(name));
      const { operation, readArguments } = tool;
      const { input, idempotencyKey } = readArguments(args);
      return { status: 200, part: { operation, readInput: () => input, idempotencyKey, id, version } };
    }
    const result = version.results.get(method);
    if (result !== undefined) return { status: 200, part: resultMessage(id, result) };
    return errorResult(version.unknownMethodStatus, id, {
      code: METHOD_NOT_FOUND,
      message: 'Method not found',
    });
  };
}

const unknownTool = (name: unknown) => ({
  code: INVALID_PARAMS,
  message:
    typeof name === 'string'
      ? `Unknown tool: ${printableField(name)}`
      : 'The name of the tool must be a string',
});

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
function findHeaderProblem(
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
