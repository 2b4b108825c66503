/**
 * The closed table of errors the API can answer with, and the words for them.
 * Public words are ours; a cause goes to the log and never to the client.
 */
import { TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { describeBadInput } from './bad-input.ts';

/** Every error code (contract, section 7), its HTTP status and the tRPC code it travels under. */
export const errorTable = {
  bad_request: { status: 400, trpc: 'BAD_REQUEST' },
  unauthorized: { status: 401, trpc: 'UNAUTHORIZED' },
  insufficient_scope: { status: 403, trpc: 'FORBIDDEN' },
  forbidden_origin: { status: 403, trpc: 'FORBIDDEN' },
  not_found: { status: 404, trpc: 'NOT_FOUND' },
  method_not_allowed: { status: 405, trpc: 'METHOD_NOT_SUPPORTED' },
  conflict: { status: 409, trpc: 'CONFLICT' },
  payload_too_large: { status: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  rate_limited: { status: 429, trpc: 'TOO_MANY_REQUESTS' },
  internal_error: { status: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  upstream_error: { status: 502, trpc: 'BAD_GATEWAY' },
  overloaded: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
} as const;

export type ErrorCode = keyof typeof errorTable;

interface ApiErrorOptions {
  /** What really happened; for the log only. */
  cause?: unknown;
  /** Whole seconds after which the caller may try again; sent as Retry-After. */
  retryAfterSeconds?: number;
  /** Whether what was asked for may have been done all the same. */
  isOutcomeUnknown?: boolean;
  /** Further response headers, such as WWW-Authenticate or Allow. */
  headers?: Record<string, string>;
}

/** A refusal whose message is written for the caller. Anything else that is thrown is an internal error. */
export class ApiError extends TRPCError {
  readonly apiCode: ErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly retryAfterSeconds: number | undefined;
  readonly isOutcomeUnknown: boolean;

  constructor(apiCode: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    const { status, trpc } = errorTable[apiCode];
    super({ code: trpc, message, cause: options.cause });
    this.apiCode = apiCode;
    this.status = status;
    this.headers = options.headers ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
  }
}

/** Refusals that come in floods: nobody reads their stack, and taking it costs more than the rest of the answer. */
function withoutStack(...parts: ConstructorParameters<typeof ApiError>): ApiError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const refusal = new ApiError(...parts);
  Error.stackTraceLimit = stackTraceLimit;
  return refusal;
}

export const badRequest = (message: string, cause?: unknown) =>
  new ApiError('bad_request', message, { cause });

export const notFound = (noun: string) => new ApiError('not_found', `${noun} not found`);

/**
 * The provisioning panel failed or refused.
 * @param options `cause` is what the panel said; `retryAfterSeconds` is how long it asked us to wait, if it did
 */
export const upstreamFailed = (message: string, options?: ApiErrorOptions) =>
  new ApiError('upstream_error', message, options);

/** Two calls with one idempotency key at once, of which the first takes long. */
export const conflict = () =>
  new ApiError('conflict', 'The first request with this idempotency key is still under way; try again', {
    retryAfterSeconds: 1,
  });

/** RFC 6750, section 3: a challenge, with an error code only when a credential was sent. */
function keyRefused(message: string, challenge = 'Bearer error="invalid_token"'): ApiError {
  return Object.freeze(withoutStack('unauthorized', message, { headers: { 'WWW-Authenticate': challenge } }));
}

/** Each is made once, as nothing in it is the caller's: a flood of strangers is to cost little. */
const keyRefusals = {
  missing: keyRefused(
    'API key missing: send it as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>"',
    'Bearer',
  ),
  malformed: keyRefused(
    'API key malformed: it is not a complete gamehost key; check for missing or mistyped characters',
  ),
  conflicting: keyRefused('API key malformed: Authorization and X-API-Key name different keys'),
  unknown: keyRefused('API key unknown'),
  expired: keyRefused('API key expired'),
  revoked: keyRefused('API key revoked'),
};

/** Why a request has no caller. */
export type KeyRefusal = keyof typeof keyRefusals;

export const unauthorized = (refusal: KeyRefusal): ApiError => keyRefusals[refusal];

/** At the account page, whose visitors bring no key. */
export const notSignedIn = () => new ApiError('unauthorized', 'You are not signed in');

/** The same for an unknown address and a wrong password. */
export const signInRefused = () =>
  new ApiError('unauthorized', 'The e-mail address or the password is wrong');

export const insufficientScope = (scope: string) =>
  new ApiError('insufficient_scope', `This key lacks the scope ${scope}`);

export const rateLimited = (retryAfterSeconds: number) =>
  withoutStack('rate_limited', `Rate limit exceeded, retry in ${retryAfterSeconds} s`, { retryAfterSeconds });

/** More is under way than can be done in good time; this call was not begun. */
export const overloaded = () =>
  withoutStack('overloaded', 'Too much is under way; nothing was done, retry in 1 s', {
    retryAfterSeconds: 1,
  });

/** An input broke its shape's rules; the message names each field and rule. */
export const badInput = (error: ZodError) => badRequest(describeBadInput(error), error);

/** At the account page, where a person reads it. */
export const tooManyTries = (retryAfterSeconds: number) =>
  new ApiError('rate_limited', `Too many failed tries; wait ${Math.ceil(retryAfterSeconds / 60)} min`, {
    retryAfterSeconds,
  });

/** Whatever was thrown, as a refusal for the caller; what was not written for the caller becomes a bare 500. */
export function asApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  if (failure instanceof TRPCError && failure.code === 'BAD_REQUEST') {
    const { cause } = failure;
    return cause instanceof ZodError ? badInput(cause) : badRequest('The request is not valid', cause);
  }
  return new ApiError('internal_error', 'Internal error', { cause: failure });
}
