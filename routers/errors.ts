/**
 * The closed table of errors the API can answer with, and the words for them.
 * Public words are ours; a cause goes to the log and never to the client.
 */
import { TRPCError } from '@trpc/server';

/** Every error code (contract, section 7), its HTTP status and the tRPC code it travels under. */
export const errorTable = {
  bad_request: { status: 400, trpc: 'BAD_REQUEST' },
  unauthorized: { status: 401, trpc: 'UNAUTHORIZED' },
  insufficient_scope: { status: 403, trpc: 'FORBIDDEN' },
  not_found: { status: 404, trpc: 'NOT_FOUND' },
  method_not_allowed: { status: 405, trpc: 'METHOD_NOT_SUPPORTED' },
  payload_too_large: { status: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  rate_limited: { status: 429, trpc: 'TOO_MANY_REQUESTS' },
  internal_error: { status: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  upstream_error: { status: 502, trpc: 'BAD_GATEWAY' },
} as const;

export type ErrorCode = keyof typeof errorTable;

interface ApiErrorOptions {
  /** What really happened; for the log only. */
  cause?: unknown;
  /** Whole seconds after which the caller may try again; sent as Retry-After. */
  retryAfterSeconds?: number;
  /** Further response headers, such as WWW-Authenticate or Allow. */
  headers?: Record<string, string>;
}

/** A refusal whose message is written for the caller. Anything else that is thrown is an internal error. */
export class ApiError extends TRPCError {
  readonly apiCode: ErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly retryAfterSeconds: number | undefined;

  constructor(apiCode: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    const { status, trpc } = errorTable[apiCode];
    super({ code: trpc, message, cause: options.cause });
    this.apiCode = apiCode;
    this.status = status;
    this.headers = options.headers ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export const badRequest = (message: string, cause?: unknown) => new ApiError('bad_request', message, { cause });

export const notFound = (noun: string) => new ApiError('not_found', `${noun} not found`);

/**
 * The provisioning panel failed or refused.
 * @param cause what the panel said; logged under the request id, never sent
 * @param retryAfterSeconds how long the panel asked us to wait, if it did
 */
export const upstreamFailed = (message: string, cause?: unknown, retryAfterSeconds?: number) =>
  new ApiError('upstream_error', message, { cause, ...(retryAfterSeconds && { retryAfterSeconds }) });
