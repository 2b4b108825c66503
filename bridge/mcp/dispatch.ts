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
import type { Brand } from '../pages/brand.ts';
import { headerOf, type RequestContext } from '../protocol.ts';
import { createArgumentReader, type ToolArguments } from './arguments.ts';
import {
  createDiscoverResult,
  createInitializeResult,
  createLegacyVersion,
  createModernVersion,
  type DispatchResult,
  errorResult,
  idOf,
  type JsonRpcError,
  legacyVersions,
  modernVersion,
  noMessage,
  type ProtocolVersion,
  resultMessage,
  type ServerInfo,
} from './messages.ts';
import { describeTool, readTools, type ToolOperation } from './tools.ts';

type Dispatch = (message: unknown, sender: Sender) => DispatchResult;

interface Sender {
  headers: StandardHeaders;
  /** The service, as the address that the client uses leads to it. */
  describeSelf: () => ServerInfo;
}

/**
 * A dispatch for the scopes of a key: tools for administrators are listed only for keys that hold the scope.
 * Each is built once for a set of such scopes, of which there are few.
 */
export function createDispatchByScopes(operations: readonly Operation[], brand: Brand) {
  const dispatches = new Map<string, Dispatch>();
  return (held: readonly Scope[]): Dispatch => {
    const adminScopes = scopes.filter((scope) => isAdminScope(scope) && held.includes(scope));
    const name = adminScopes.join();
    const isListed = ({ scope }: Operation) =>
      scope === null || !isAdminScope(scope) || adminScopes.some((each) => each === scope);
    const dispatch =
      dispatches.get(name) ?? createDispatch(createMethodHandlers(operations, isListed, brand));
    dispatches.set(name, dispatch);
    return dispatch;
  };
}

function createDispatch({ legacy, modern }: Handlers): Dispatch {
  return function dispatch(message, sender) {
    const { headers } = sender;
    if (isPlainRequest(message, headers)) return legacy(message);
    const outcome = classifyInboundRequest({ httpMethod: 'POST', ...headers, body: message });
    if (outcome.kind === 'reject') return errorResult(outcome.httpStatus, idOf(message), outcome);
    if (outcome.kind === 'modern') return dispatchModern(outcome, sender, modern);
    // The classification checked what is read of it.
    return dispatchLegacy({ ...outcome, message: message as JSONRPCRequest }, sender, legacy);
  };
}

function dispatchModern(
  route: InboundModernRoute,
  { headers, describeSelf }: Sender,
  handle: HandleRequest,
): DispatchResult {
  const { message, classification } = route;
  if (classification.revision !== modernVersion)
    return unsupported([modernVersion], classification.revision ?? 'unknown', message);
  if (route.messageKind === 'notification') return noMessage;
  const { id, method } = route.message;
  const problem = findHeaderProblem(headers, route);
  if (problem) return errorResult(400, id, problem);
  return method === 'server/discover'
    ? { status: 200, part: resultMessage(id, createDiscoverResult(describeSelf())) }
    : handle(route.message);
}

function dispatchLegacy(
  { reason, requestedVersion, message }: InboundLegacyRoute & { message: JSONRPCRequest },
  { describeSelf }: Sender,
  handle: HandleRequest,
): DispatchResult {
  if (reason === 'initialize')
    return requestedVersion === undefined
      ? errorResult(200, message.id, invalidParams('initialize needs a protocolVersion'))
      : {
          status: 200,
          part: resultMessage(message.id, createInitializeResult(requestedVersion, describeSelf())),
        };
  if (requestedVersion !== undefined && !legacyVersions.includes(requestedVersion))
    return unsupported(legacyVersions, requestedVersion, message);
  return reason === 'no-claim' ? handle(message) : noMessage;
}

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
  brand: Brand,
) {
  const toolOperations = readTools(operations);
  const tools = new Map(
    toolOperations.map((operation) => {
      return [operation.tool.name, { operation, readArguments: createArgumentReader(operation) }];
    }),
  );
  const described = toolOperations.filter(isListed).map(describeTool);
  return {
    legacy: createHandleRequest(createLegacyVersion(described), tools),
    modern: createHandleRequest(createModernVersion(described, brand), tools),
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
    if (method === 'tools/list' && params?.['cursor'] != null)
      return errorResult(200, id, invalidParams('Unknown cursor: all tools are on the first page'));
    const result = version.results.get(method);
    if (result !== undefined) return { status: 200, part: resultMessage(id, result) };
    return errorResult(version.unknownMethodStatus, id, {
      code: METHOD_NOT_FOUND,
      message: 'Method not found',
    });
  };
}

const invalidParams = (message: string): JsonRpcError => ({ code: INVALID_PARAMS, message });

const unknownTool = (name: unknown) =>
  invalidParams(
    typeof name === 'string'
      ? `Unknown tool: ${printableField(name)}`
      : 'The name of the tool must be a string',
  );

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
