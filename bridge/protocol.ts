/**
 * What the pipeline (server/pipeline.ts) and the protocols pass to each other: a request and its caller, what is parsed
 * of it, how its calls ended, and the response. A protocol is one interface of four methods.
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
  /** Without the query. Koa would parse it again at every use. */
  path: string;
  /** The client's address; behind a trusted proxy, the one the proxy saw. */
  address: string;
  /** By performance.now(). */
  receivedAt: number;
}

/** Who made which calls, and how they ended, for the audit; and, when the response has left, for the log, metrics and traces. */
export interface RequestRecord {
  protocol: ProtocolName;
  caller: Caller;
  calls: readonly CallRecord[];
}

/** Koa's `ctx.state`. */
export interface RequestState {
  request: RequestInfo;
  /** Set once, by the pipeline when it has handled the request. */
  record: RequestRecord;
}

export type RequestContext = Koa.ParameterizedContext<RequestState>;
export type Middleware = Koa.Middleware<RequestState>;

/** Decides who calls; it refuses no request. */
export type Authenticate = (ctx: RequestContext) => Caller | Promise<Caller>;

/** A request that is admitted and authenticated. */
export interface AdmittedRequest {
  ctx: RequestContext;
  caller: Caller;
  /** When it was decided who calls, by `performance.now()`. */
  authenticatedAt: number;
  admission: AdmissionPort;
}

/** The place that a request holds among those at work. */
interface AdmissionPort {
  /** When the body was complete, by `performance.now()`; 0 before. */
  readonly bodyReceivedAt: number;
  /** Throws payload_too_large, overloaded, rate_limited, or bad_request when the body breaks off. */
  receiveBody(req: IncomingMessage, bytesMax: number): Promise<Buffer>;
  /** Runs a call once a slot of its user is free; throws rate_limited where too many wait. */
  run<Result>(slot: Slot, call: () => Promise<Result>): Promise<Result>;
  /** Counts bytes of a result; returns the refusal when they exceed the user's bytes of the minute. */
  countResultBytes(bytes: number): ApiError | null;
  /** Holds the bytes of a result until the request ends; returns the refusal when they exceed a bound. */
  reserveResultBytes(bytes: number): ApiError | null;
}

/** A call of an operation in a request. */
export interface OperationCall {
  operation: AnyOperation;
  /** Called once the caller is authorized; may receive the body, and refuses what the schema cannot see. */
  readInput: () => unknown;
  /** As sent; undefined where none was. */
  idempotencyKey?: unknown;
  /** The same. */
  ifMatch?: string | undefined;
}

/** A call of something that does not exist. Callers with access get the refusal; others get a 401 or 403 first. */
interface RefusedCall {
  /** The requested name, in a protocol that calls operations by name. */
  name?: string;
  access: Access;
  refusal: ApiError;
}

export type Call = OperationCall | RefusedCall;

export const isOperationCall = (call: Call): call is OperationCall => 'operation' in call;

/** What a request counts as: calls of operations, and protocol messages that are none. */
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

/** Of a page or a document. */
export const noCalls: ParsedRequest = { calls: [], cost: noCost, isBatch: false };

export type Headers = Record<string, string>;

/** How one call ended, as its protocol writes it. */
export interface CallResponse {
  status: number;
  headers: Headers;
  json: string;
}

/** What is sent. Null in place of it: Koa sends what the context holds, such as a file. */
export interface Response {
  status: number;
  headers: Headers;
  /** Null: no body. */
  json: string | null;
  /** JSON unless stated. */
  contentType?: string;
}

export interface ErrorResponse {
  status: number;
  headers: Headers;
  body: object;
}

export type ProtocolName = 'rest' | 'trpc' | 'mcp' | 'account' | 'oauth';

/** Methods, not functions, so that a protocol whose requests hold more is one too. */
export interface Protocol<Parsed extends ParsedRequest = ParsedRequest> {
  readonly name: ProtocolName;
  /** How many calls of one batch run side by side; one unless stated. */
  readonly concurrency?: number;
  /** What a request costs that cannot be parsed. */
  readonly unparsedCost: Cost;
  /** The calls of the request. Receives the body only if it names the calls, and then only from a caller with a key. */
  parse(request: AdmittedRequest): Parsed | Promise<Parsed>;
  formatResult(output: object, call: Call): string;
  /** @param call the one call that failed; null for a failure of the whole request */
  formatError(failure: unknown, request: RequestInfo, call: Call | null): ErrorResponse;
  /** @param responses one for each call, in their order */
  respond(
    ctx: RequestContext,
    parsed: Parsed,
    responses: readonly CallResponse[],
  ): Response | null | Promise<Response | null>;
}

/** How one call of an operation ended, for the audit, the log, metrics and traces. */
export interface CallRecord {
  operation: string | null;
  target: string | null;
  isWrite: boolean;
  /** False where no key is needed: one that a header holds is not what calls. */
  isAudited: boolean;
  /** What the procedure noted in addition to its output. */
  outcome: Outcome;
  status: number;
  code: ErrorCode | null;
}

/** Makes the context of a procedure. */
export type ContextOf = (ctx: RequestContext, caller: Caller, outcome: Outcome) => Context;

/** Any failure: `{error: {code, message}}` and nothing more; the rest goes into headers. */
export function toErrorResponse(failure: unknown): ErrorResponse {
  const { apiCode, status, message, headers, retryAfterSeconds } = asApiError(failure);
  return {
    status,
    headers: retryAfterSeconds ? { ...headers, 'Retry-After': String(retryAfterSeconds) } : { ...headers },
    body: { error: { code: apiCode, message } },
  };
}

/** Of a page, which calls no operation: `respond` sends it, and errors are those of the API. */
export const createPageProtocol = (respond: (ctx: RequestContext) => Promise<Response | null>): Protocol => ({
  name: 'rest',
  unparsedCost: noCost,
  parse: () => noCalls,
  formatResult: (output) => JSON.stringify(output),
  formatError: toErrorResponse,
  respond,
});

/** Answers OPTIONS with the methods of the path. */
export const allowResponse = (Allow: string): Response => ({ status: 204, headers: { Allow }, json: null });

/** A request header by its lower-case name; empty where there is none. */
export function headerOf({ req }: Pick<RequestContext, 'req'>, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}

/** The Idempotency-Key as sent; undefined where there is none. */
export const sentIdempotencyKey = ({ req }: RequestContext) => req.headers['idempotency-key'];

/** What the head of a request says of its one call. */
export const headersOfCall = (ctx: RequestContext) => ({
  idempotencyKey: sentIdempotencyKey(ctx),
  ifMatch: ctx.req.headers['if-match'],
});

/** A header does not say which call of a batch it is for. */
export function refuseHeadersOfBatch({ req }: RequestContext, callCount: number): void {
  const sent = ['Idempotency-Key', 'If-Match'].find((name) => req.headers[name.toLowerCase()] !== undefined);
  if (callCount > 1 && sent) throw badRequest(`${sent} goes with a single call, not with a batch of several`);
}

/** Part of a path with its percent escapes decoded; malformed escapes are left as they are. */
export function percentDecode(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
