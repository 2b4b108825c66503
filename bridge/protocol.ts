/**
 * The types that the pipeline (server/pipeline.ts) and the protocols exchange: a request and its caller, its parsed
 * calls, their results, and the response. A protocol implements one interface of four methods.
 */
import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { Access, Caller } from '../routers/caller.ts';
import type { Context, Outcome } from '../routers/context.ts';
import { type ApiError, asApiError, badRequest, type ErrorCode } from '../routers/errors.ts';
import type { Slot } from '../routers/trpc.ts';
import type { AnyOperation } from './operations.ts';

export interface RequestInfo {
  id: string;
  method: string;
  /** Without the query. Stored, because Koa parses the path again at every use. */
  path: string;
  /** Behind a trusted proxy, the address that the proxy saw. */
  address: string;
  /** By `performance.now()`. */
  receivedAt: number;
}

export interface RequestRecord {
  protocol: ProtocolName;
  caller: Caller;
  calls: readonly CallRecord[];
}

export interface RequestState {
  request: RequestInfo;
  record: RequestRecord;
}

export type RequestContext = Koa.ParameterizedContext<RequestState>;
export type Middleware = Koa.Middleware<RequestState>;

export type Authenticate = (ctx: RequestContext) => Caller | Promise<Caller>;

export interface AdmittedRequest {
  ctx: RequestContext;
  caller: Caller;
  /** When the caller was identified, by `performance.now()`. */
  authenticatedAt: number;
  admission: AdmissionPort;
}

interface AdmissionPort {
  /** When the body was complete, by `performance.now()`; 0 before. */
  readonly bodyReceivedAt: number;
  /** @throws payload_too_large, overloaded, rate_limited, or bad_request if the body ends too early */
  receiveBody(req: IncomingMessage, bytesMax: number): Promise<Buffer>;
  /** @throws rate_limited if too many calls of the user wait for a slot */
  run<Result>(slot: Slot, call: () => Promise<Result>): Promise<Result>;
  /** Returns the refusal if the bytes exceed what the user has left in this minute. */
  countResultBytes(bytes: number): ApiError | null;
  /** Reserves the bytes until the request ends. Returns the refusal if they exceed a bound. */
  reserveResultBytes(bytes: number): ApiError | null;
}

export interface OperationCall {
  operation: AnyOperation;
  /** Called after the caller is authorized. It may receive the body, and refuses input that the schema cannot see. */
  readInput: () => unknown;
  idempotencyKey?: unknown;
  ifMatch?: string | undefined;
}

/** A call of something that does not exist. Callers with access get the refusal; others get a 401 or 403 first. */
interface RefusedCall {
  name?: string;
  access: Access;
  refusal: ApiError;
}

export type Call = OperationCall | RefusedCall;

export const isOperationCall = (call: Call): call is OperationCall => 'operation' in call;

export interface Cost {
  calls: number;
  messages: number;
}

export const noCost: Cost = { calls: 0, messages: 0 };
export const oneCall: Cost = { calls: 1, messages: 0 };

export interface ParsedRequest {
  calls: readonly Call[];
  cost: Cost;
  isBatch: boolean;
}

export const noCalls: ParsedRequest = { calls: [], cost: noCost, isBatch: false };

export type Headers = Record<string, string>;

export interface CallResponse {
  status: number;
  headers: Headers;
  json: string;
}

/** A protocol may respond with null instead: Koa then sends the response in the context, such as a file. */
export interface Response {
  status: number;
  headers: Headers;
  json: string | null;
  contentType?: string;
}

export interface ErrorResponse {
  status: number;
  headers: Headers;
  body: object;
}

export type ProtocolName = 'rest' | 'trpc' | 'mcp' | 'account' | 'oauth';

/** Methods, not functions, so that a protocol with a narrower `Parsed` type is assignable. */
export interface Protocol<Parsed extends ParsedRequest = ParsedRequest> {
  readonly name: ProtocolName;
  readonly concurrency?: number;
  readonly unparsedCost: Cost;
  /** Reads the body only if the body names the calls, and then only for a caller with a key. */
  parse(request: AdmittedRequest): Parsed | Promise<Parsed>;
  formatResult(output: object, call: Call): string;
  formatError(failure: unknown, request: RequestInfo, call: Call | null): ErrorResponse;
  respond(
    ctx: RequestContext,
    parsed: Parsed,
    responses: readonly CallResponse[],
  ): Response | null | Promise<Response | null>;
}

export interface CallRecord {
  operation: string | null;
  target: string | null;
  isWrite: boolean;
  /** False if the operation needs no key: a key in a header then does not identify the caller. */
  isAudited: boolean;
  outcome: Outcome;
  status: number;
  code: ErrorCode | null;
}

export type ContextOf = (ctx: RequestContext, caller: Caller, outcome: Outcome) => Context;

/** The body is `{error: {code, message}}` and nothing more. Everything else goes into headers. */
export function toErrorResponse(failure: unknown): ErrorResponse {
  const { apiCode, status, message, headers, retryAfterSeconds } = asApiError(failure);
  return {
    status,
    headers: retryAfterSeconds ? { ...headers, 'Retry-After': String(retryAfterSeconds) } : { ...headers },
    body: { error: { code: apiCode, message } },
  };
}

export const createPageProtocol = (respond: (ctx: RequestContext) => Promise<Response | null>): Protocol => ({
  name: 'rest',
  unparsedCost: noCost,
  parse: () => noCalls,
  formatResult: (output) => JSON.stringify(output),
  formatError: toErrorResponse,
  respond,
});

export const allowResponse = (Allow: string): Response => ({ status: 204, headers: { Allow }, json: null });

/** Empty if the header is missing. The name is in lower case. */
export function headerOf({ req }: Pick<RequestContext, 'req'>, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}

export const sentIdempotencyKey = ({ req }: RequestContext) => req.headers['idempotency-key'];

export const headersOfCall = (ctx: RequestContext) => ({
  idempotencyKey: sentIdempotencyKey(ctx),
  ifMatch: ctx.req.headers['if-match'],
});

/** In a batch, a header cannot say which call it is for. */
export function refuseHeadersOfBatch({ req }: RequestContext, callCount: number): void {
  const sent = ['Idempotency-Key', 'If-Match'].find((name) => req.headers[name.toLowerCase()] !== undefined);
  if (callCount > 1 && sent)
    throw badRequest(`${sent} works with a single call, not with a batch of several`);
}

export function percentDecode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
