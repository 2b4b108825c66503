/**
 * /mcp: the operations that name a tool, for AI agents, as MCP over streamable HTTP. It is stateless, responds with
 * JSON only, and supports both generations of the protocol. A tool call is a call of the API: same key, same limit,
 * same procedure, same audit.
 */
import {
  classifyInboundRequest,
  INVALID_REQUEST,
  localhostAllowedOrigins,
  PARSE_ERROR,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { batchCallsMax, bodyBytesMax, mcpTokensMax } from '../../models/bounds.ts';
import { authorize } from '../../routers/caller.ts';
import { ApiError, asApiError, methodNotAllowed } from '../../routers/errors.ts';
import { hasBody, readJson, requireJsonHeaders } from '../json.ts';
import type { Operation } from '../operations.ts';
import type { Brand } from '../pages/brand.ts';
import {
  type AdmittedRequest,
  allowResponse,
  type Call,
  type CallResponse,
  type ErrorResponse,
  type Headers,
  isOperationCall,
  noCost,
  type ParsedRequest,
  type Protocol,
  type RequestContext,
  type Response,
  refuseHeadersOfBatch,
  sentIdempotencyKey,
  toErrorResponse,
} from '../protocol.ts';
import { createDispatchByScopes, type Dispatch, readStandardHeaders } from './dispatch.ts';
import {
  createServerInfo,
  type DispatchResult,
  errorResult,
  isToolCall,
  type ResponsePart,
  type ToolCall,
  toolError,
  toolResult,
  withoutNulls,
} from './messages.ts';

export const mcpPath = '/mcp';

interface McpDeps {
  brand: Brand;
  websiteUrlOf: (ctx: RequestContext) => string;
  operations: readonly Operation[];
  /** Programs send no origin, which arrives here as ''. */
  isKnownOrigin: (origin: string) => boolean;
}

export function createMcp({ operations, brand, websiteUrlOf, isKnownOrigin }: McpDeps): Protocol<McpRequest> {
  const dispatchFor = createDispatchByScopes(operations, brand);
  const serverInfo = createServerInfo(brand);
  // The body names the tool, so the largest bound of all tools applies until the body is read.
  const bytesMax = Math.max(...operations.map((operation) => operation.bodyBytesMax ?? bodyBytesMax));
  return {
    name: 'mcp',
    unparsedCost: { calls: 0, messages: 1 },
    async parse(request) {
      const { ctx } = request;
      if (!isKnownOrigin(ctx.get('Origin'))) throw foreignOrigin();
      if (ctx.state.request.method === 'OPTIONS') return optionsRequest;
      const describeSelf = () => serverInfo(websiteUrlOf(ctx));
      const parsed = await parseRequest(request, bytesMax, (body) =>
        dispatchBody(body, dispatchFor(request.caller.scopes), {
          headers: readStandardHeaders(ctx),
          describeSelf,
        }),
      );
      refuseHeadersOfBatch(ctx, parsed.calls.length);
      return parsed;
    },
    formatResult: (output, call) => toolResult(asToolCall(call), output),
    formatError: (failure, _request, call) =>
      call
        ? { status: 200, headers: {}, body: toolError(asToolCall(call), failure) }
        : toProtocolError(failure),
    respond: (_ctx, parsed, responses) => respondMcp(parsed, responses),
  };
}

/** Clients show the reason for a refusal only in JSON-RPC, so the refusals that a correct client can get have that form. */
function toProtocolError(failure: unknown): ErrorResponse {
  const response = toErrorResponse(failure);
  if (!jsonRpcErrorStatuses.has(response.status)) return response;
  const { apiCode, message } = asApiError(failure);
  const error = { code: serverError, message, data: { code: apiCode } };
  return { ...response, body: { jsonrpc: '2.0', id: null, error } };
}

const jsonRpcErrorStatuses: ReadonlySet<number> = new Set([401, 403, 429, 503]);

/** The first code that JSON-RPC leaves to servers. */
const serverError = -32_000;

function asToolCall(call: Call): ToolCall {
  if (!isOperationCall(call) || !('version' in call)) throw new Error('Not a tool call');
  return call as ToolCall; // only tool calls have a version
}

async function parseRequest(
  request: AdmittedRequest,
  bytesMax: number,
  dispatch: (body: unknown) => McpRequest,
): Promise<McpRequest> {
  const { ctx } = request;
  const { method } = ctx.state.request;
  authorize(request.caller, { scope: 'any' });
  // GET would open a stream and DELETE would end a session, and we have neither.
  if (method !== 'POST') throw methodNotAllowed(method, Allow, 'POST');
  try {
    if (hasBody(ctx.req)) requireJsonHeaders(ctx.req);
  } catch (failure) {
    return toRefusedRequest(INVALID_REQUEST, failure);
  }
  try {
    const parsed = dispatch(await readJson(request, { tokensMax: mcpTokensMax, bytesMax }));
    for (const call of parsed.calls) call.idempotencyKey ??= sentIdempotencyKey(ctx);
    return parsed;
  } catch (failure) {
    return toRefusedRequest(PARSE_ERROR, failure);
  }
}

function toRefusedRequest(code: number, failure: unknown): McpRequest {
  const { apiCode, message, headers } = asApiError(failure);
  if (apiCode !== 'bad_request') throw failure;
  return { ...singleRequest(errorResult(400, null, { code, message })), headers };
}

const Allow = 'POST, OPTIONS';

const optionsRequest: McpRequest = { status: 204, parts: [], calls: [], cost: noCost, isBatch: false };

function respondMcp(parsed: McpRequest, responses: readonly CallResponse[]): Response {
  if (parsed === optionsRequest) return allowResponse(Allow);
  const { status, parts, isBatch } = parsed;
  const callResponses = responses.values();
  const headers = { ...parsed.headers };
  const sent = parts.flatMap((part) => {
    if (part === null) return [];
    if (!isToolCall(part)) return [part];
    const response = callResponses.next().value;
    if (!response) throw new Error('A tool call has one response');
    Object.assign(headers, response.headers);
    return [response.json];
  });
  const json = isBatch && sent.length > 0 ? `[${sent.join()}]` : sent.join('');
  return { status: sent.length > 0 ? status : 202, headers, json };
}

const foreignOrigin = () =>
  new ApiError('forbidden_origin', 'Pages of this origin are not allowed; see CORS_ORIGINS');

interface McpRequest extends ParsedRequest {
  status: number;
  headers?: Headers;
  parts: readonly ResponsePart[];
  calls: readonly ToolCall[];
}

function dispatchBody(sent: unknown, dispatch: Dispatch, context: Parameters<Dispatch>[1]): McpRequest {
  if (!Array.isArray(sent)) return singleRequest(dispatch(withoutNulls(sent), context));
  if (sent.length > batchCallsMax)
    return singleRequest(errorResult(400, null, { code: INVALID_REQUEST, message: tooManyMessages }));
  const body = sent.map(withoutNulls);
  const outcome = classifyInboundRequest({ httpMethod: 'POST', body });
  if (outcome.kind === 'reject') return singleRequest(errorResult(outcome.httpStatus, null, outcome));
  // The protocol removed batches before it added the version header.
  const parts = body.map((message) => dispatch(message, { ...context, headers: {} }).part);
  return requestOf(200, parts, true);
}

const singleRequest = ({ status, part }: DispatchResult): McpRequest => requestOf(status, [part], false);

function requestOf(status: number, parts: readonly ResponsePart[], isBatch: boolean): McpRequest {
  const calls = parts.filter(isToolCall);
  return {
    status,
    parts,
    calls,
    cost: { calls: calls.length, messages: parts.length - calls.length },
    isBatch,
  };
}

const tooManyMessages = `A batch holds at most ${batchCallsMax} messages`;

interface OriginSettings {
  corsOrigins: readonly string[];
  /** If undefined, pages on this machine may call, even without `admitsLoopbackPages`. */
  publicUrl: string | undefined;
  admitsLoopbackPages: boolean;
}

/** Programs send no Origin and pass. After DNS rebinding, Host equals Origin, so Host proves nothing. */
export function createOriginCheck({ corsOrigins, publicUrl, admitsLoopbackPages }: OriginSettings) {
  const known = new Set([...corsOrigins, ...(publicUrl ? [new URL(publicUrl).origin] : [])]);
  const isAdmittedLoopback = (origin: string) =>
    (publicUrl === undefined || admitsLoopbackPages) &&
    validateOriginHeader(origin, localhostAllowedOrigins()).ok;
  return (origin: string): boolean =>
    origin === '' || known.has('*') || known.has(origin) || isAdmittedLoopback(origin);
}
