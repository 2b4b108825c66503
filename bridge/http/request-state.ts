/** What the pipeline and the protocols share about one request, in `ctx.state`. */
import type Koa from 'koa';
import type { Browser, Caller, Context, Session } from '../../routers/context.ts';
import type { ErrorCode, KeyRefusal } from '../../routers/errors.ts';
import type { ErrorResponse } from './error-response.ts';
import type { Call, Cost, Exchange, Reply } from './exchange.ts';
import type { JsonChunks } from './json-chunks.ts';

/** How one call of an operation ended, for the audit, the log, metrics and traces. */
export interface CallRecord {
  operation: string | null;
  target: string | null;
  /** The owner of the target, where staff works on a customer's; null elsewhere. */
  ownerId: number | null;
  isWrite: boolean;
  status: number;
  code: ErrorCode | null;
}

/** The part of a protocol that failures outside of its pipeline need. */
export interface SelectedProtocol {
  readonly name: 'rest' | 'trpc' | 'mcp' | 'account' | 'oauth';
  /** @param call the one call that failed; null for a failure of the whole request */
  formatError(failure: unknown, state: RequestState, call: Call | null): ErrorResponse;
}

export interface RequestState {
  requestId: string;
  method: string;
  /** Without the query. Koa would parse it again at every use. */
  path: string;
  /** The client's address; behind a trusted proxy, the one the proxy saw. */
  address: string;
  /** The protocol of the mount that the path belongs to. */
  protocol: SelectedProtocol;
  /** What the protocol parsed; null until then. */
  exchange: Exchange | null;
  /** The absolute URL at which the client reaches the service, without a trailing slash. */
  baseUrl: () => string;
  caller: Caller | null;
  keyRefusal: KeyRefusal;
  /** The owner of the key that was sent, even when the key was refused; null for an unknown key. */
  knownKey: { id: string; userId: number } | null;
  /** The grant that the access token belongs to, even when the token was refused. */
  knownGrant: { id: string; userId: number; clientId: string } | null;
  /** Set for the account page only. */
  session: Session | null;
  browser: Browser | null;
  /** The user in audit entries of the account page; null: no such user exists; undefined: no entry. */
  auditedUserId: number | null | undefined;
  calls: CallRecord[];
  /** Authenticates the request again, when its body took long to arrive; null before the first time. */
  authenticate: ((ctx: RequestContext) => Promise<void>) | null;
  /** Receives the request body; throws payload_too_large, overloaded, or bad_request when it breaks off. */
  receiveBody: (ctx: RequestContext, bytesMax: number) => Promise<Buffer>;
  /** Gives back the bytes that a received body is charged for; null where there is none. */
  releaseBody: (() => void) | null;
  /** Response headers beside those that every response has. */
  headers: Record<string, string>;
  /** Of a JSON response. */
  contentType: string;
  /** The body of a JSON response; null where there is none, or Koa sends a file. */
  json: string | JsonChunks | null;
}

export type RequestHead = Pick<RequestState, 'method' | 'path'>;

export type RequestContext = Koa.ParameterizedContext<RequestState>;
export type Middleware = Koa.Middleware<RequestState>;

/** Logs a failure that is ours, under the request's id. */
export type Report = (failure: unknown, state: RequestState) => void;

/** Makes the context of a procedure from the request. */
export type ContextOf = (state: RequestState) => Context;

/** Leaves a JSON response for `send`. Not through `ctx.status`, whose setter looks at the body. */
export function respondJson({ res, state }: RequestContext, status: number, json: string | JsonChunks): void {
  res.statusCode = status;
  res.statusMessage = ''; // Node fills in the status's own
  state.json = json;
}

/** Answers OPTIONS with 204 and the methods of the path. */
export function respondAllow(ctx: RequestContext, methods: string): void {
  ctx.state.headers['Allow'] = methods;
  ctx.status = 204;
}

/** A request header by its lower-case name; empty where there is none. */
export function headerOf({ req }: Pick<RequestContext, 'req'>, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}

/**
 * What a protocol supplies to the pipeline (server/pipeline.ts), which does authentication, limits, audit and errors once
 * for all. Methods, not functions, so that a protocol with a richer exchange is one too.
 */
export interface Protocol<Parsed extends Exchange = Exchange> extends SelectedProtocol {
  /** How many calls of one batch run side by side. */
  readonly concurrency: number;
  /** Whether a request's head shows that it costs one call; left out by a protocol whose bodies tell the costs. */
  readonly isOneCall?: (request: RequestHead) => boolean;
  /** What a request costs that cannot be parsed. */
  readonly unparsedCost: Cost;
  /** What the request asks for. Receives the body only if it names the calls, and then only from a caller with a key. */
  parse(ctx: RequestContext): Parsed | Promise<Parsed>;
  formatResult(output: object, call: Call): string | JsonChunks;
  /** @param replies one for each call, in their order */
  respond(ctx: RequestContext, exchange: Parsed, replies: readonly Reply[]): void | Promise<void>;
}
