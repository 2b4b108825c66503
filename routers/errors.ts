/** Messages are written for callers. A cause goes to the log and never to the client. */
import { TRPCError } from '@trpc/server';
import { ZodError } from 'zod';
import { type Outage, outageOf } from '../models/support/outages.ts';
import { formatZodError } from './support/format-zod-error.ts';

export const errorTable = {
  bad_request: { status: 400, trpc: 'BAD_REQUEST' },
  unauthorized: { status: 401, trpc: 'UNAUTHORIZED' },
  insufficient_scope: { status: 403, trpc: 'FORBIDDEN' },
  forbidden_address: { status: 403, trpc: 'FORBIDDEN' },
  strong_session_required: { status: 403, trpc: 'FORBIDDEN' },
  forbidden_origin: { status: 403, trpc: 'FORBIDDEN' },
  not_found: { status: 404, trpc: 'NOT_FOUND' },
  method_not_allowed: { status: 405, trpc: 'METHOD_NOT_SUPPORTED' },
  conflict: { status: 409, trpc: 'CONFLICT' },
  precondition_failed: { status: 412, trpc: 'PRECONDITION_FAILED' },
  payload_too_large: { status: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  misdirected_request: { status: 421, trpc: 'BAD_REQUEST' },
  rate_limited: { status: 429, trpc: 'TOO_MANY_REQUESTS' },
  internal_error: { status: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  upstream_error: { status: 502, trpc: 'BAD_GATEWAY' },
  overloaded: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
} as const;

export type ErrorCode = keyof typeof errorTable;

interface ApiErrorOptions {
  /** The real failure, for the log only. */
  cause?: unknown;
  /** Whole seconds after which the caller may try again; sent as Retry-After. */
  retryAfterSeconds?: number;
  isOutcomeUnknown?: boolean;
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

export const badRequest = (message: string, cause?: unknown) =>
  new ApiError('bad_request', message, { cause });

export const notFound = (noun: string) => new ApiError('not_found', `${noun} not found${advice[noun] ?? ''}`);

const advice: Partial<Record<string, string>> = {
  Server: '; take its identifier from the list of servers',
};

/** @param use the methods to suggest; it may omit OPTIONS, which the header Allow must always list */
export const methodNotAllowed = (method: string, Allow: string, use = Allow) =>
  new ApiError('method_not_allowed', `${method} is not offered here; use ${use}`, { headers: { Allow } });

/** Also the example of a 502 in the API's description. */
export const panelBusy = 'The panel is busy';

export const tryLater = (event: string) => `${event}; try again later`;

export const upstreamFailed = (message: string, options?: ApiErrorOptions) =>
  new ApiError('upstream_error', message, options);

export const conflict = (message: string) => new ApiError('conflict', message);

export const preconditionFailed = () =>
  new ApiError(
    'precondition_failed',
    'Someone else has changed it since that ETag: read it again, and send the new ETag',
  );

/** @param kind of the thing that is there, such as `file` */
export const alreadyExists = (kind: string) => conflict(`A ${kind} already exists at this path`);
export const fileChanged = () => conflict('The file has changed or is gone: read it again');

export const serverNotRunning = (cause?: unknown) => badRequest('The server is not running', cause);

export const backupTooOld = () => badRequest('backup must be at most 24 hours old: create one first');

export const imageSetByHost = () =>
  conflict("An administrator set the server's image: only the host can change it");

export const emailMissing = () => badRequest('email is required');
export const emailTaken = () => conflict('The e-mail address belongs to another user');
export const panelUserTaken = () => conflict('panel_user_id belongs to another user');

/** Only the command line manages staff, so that a key that manages users cannot give away staff's rights. */
export const staffOnCommandLineOnly = (what: string) =>
  conflict(`Administrators and support staff ${what} on the command line only`);

export const stillInProgress = () =>
  new ApiError('conflict', 'The first request with this idempotency key is still in progress; try again', {
    retryAfterSeconds: 1,
  });

const challengeOf = (challenge: string) => ({ headers: { 'WWW-Authenticate': challenge } });

/** RFC 6750, section 3: a challenge, with an error code only when a credential was sent. */
export function keyRefused(message: string, challenge = 'Bearer error="invalid_token"'): ApiError {
  return Object.freeze(new ApiError('unauthorized', message, challengeOf(challenge)));
}

/** Created only once, so that a flood of bad keys costs little. Nothing in these errors depends on the caller. */
export const keyRefusals = {
  missing: keyRefused(
    'API key missing: send it as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>"',
    'Bearer',
  ),
  malformed: keyRefused(
    'API key malformed: it is not a complete key; check for missing or mistyped characters',
  ),
  other_scheme: keyRefused(
    'API key malformed: the header Authorization must read "Bearer <API_KEY>", with the word Bearer and one space',
  ),
  not_alone: keyRefused('API key malformed: the header X-API-Key must be the key alone, without "Bearer"'),
  conflicting: keyRefused('API key malformed: Authorization and X-API-Key name different keys'),
  unknown: keyRefused('API key unknown'),
  expired: keyRefused('API key expired'),
  revoked: keyRefused('API key revoked'),
  suspended: keyRefused('API key suspended: its owner is suspended'),
  // The credential may be an app's access token, if the service is an authorization server.
  unrecognized: keyRefused('Credential malformed: it is neither a complete key nor an access token'),
  token_unknown: keyRefused('Access token unknown, expired or revoked'),
  token_suspended: keyRefused('Access token suspended: the account is suspended'),
};

export type KeyRefusal = keyof typeof keyRefusals;

export const forbiddenAddress = (address: string) =>
  new ApiError('forbidden_address', `This key cannot be used from the address ${address}`);

export const notSignedIn = () => new ApiError('unauthorized', 'You are not signed in');

export const strongSessionRequired = (
  message = 'Show a second factor first: none was shown in the last 10 minutes',
) => new ApiError('strong_session_required', message);

/** One error for an unknown address and a wrong password, so that it does not reveal which of them was wrong. */
export const signInRefused = () =>
  new ApiError('unauthorized', 'The e-mail address or the password is wrong');

/** @param publicUrl starts the address of the account page; empty: the path alone, because the host has not set it */
export const insufficientScope = (scope: string, publicUrl = '') =>
  new ApiError(
    'insufficient_scope',
    `This key lacks the scope ${scope}: create a key with it at ${publicUrl}/account#keys`,
  );

export const noAppHasScope = (scope: string) =>
  new ApiError('insufficient_scope', `This access token lacks the scope ${scope}, which no app has`);

/** @param askable the scopes to request: the app's own and the missing ones */
export function tokenLacksScope(scope: string, askable: readonly string[], publicUrl: string) {
  const advice = `sign in again with it, or add it at ${publicUrl}/account#apps (Connected apps → Rights)`;
  const message = `This access token lacks the scope ${scope}: ${advice}`;
  const challenge = `Bearer error="insufficient_scope", scope="${askable.join(' ')}", error_description="sign in again with these scopes"`;
  return new ApiError('insufficient_scope', message, challengeOf(challenge));
}

export const rateLimited = (retryAfterSeconds: number) =>
  new ApiError('rate_limited', `Rate limit exceeded, retry in ${retryAfterSeconds} s`, { retryAfterSeconds });

export const resultsExceeded = (megabytes: number, retryAfterSeconds: number) =>
  new ApiError(
    'rate_limited',
    `Your results in this minute reach the maximum of ${megabytes} MiB; retry calls with large results in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );

/** All callers together have more in progress than the service can do in good time. This call did not start. */
export const overloaded = () =>
  new ApiError('overloaded', 'The service is busy; nothing was done. Retry in 1 s', {
    retryAfterSeconds: 1,
  });

/** The user has as many calls in progress as one user may have. This call did not start. */
export const tooManyAtOnce = () =>
  new ApiError('rate_limited', 'Too many requests at once', { retryAfterSeconds: 1 });

export const invalidInput = (error: ZodError) => badRequest(formatZodError(error), error);

const identityRefusals = {
  no_email: 'The identity provider did not send your e-mail address',
  unverified_email:
    'Your e-mail address is not verified at the identity provider; verify it there, then sign in again',
  unusable_email: 'Your e-mail address at the identity provider cannot be used here; ask support',
  no_account: 'There is no account for your e-mail address here; ask support',
  staff: 'Administrators and support cannot be linked by e-mail address; sign in with your password',
  linked_elsewhere:
    'The account with your e-mail address is linked to another account at the identity provider; ask support',
  denied: 'The sign-in was canceled at the identity provider',
  expired: 'The sign-in took too long or was started in another tab or browser; try again',
  invalid: "The identity provider's answer is not valid; try again",
};

export const identityRefused = (reason: keyof typeof identityRefusals, cause?: unknown) =>
  new ApiError('unauthorized', identityRefusals[reason], { cause });

export const identityProviderUnavailable = (cause: unknown) =>
  new ApiError('upstream_error', 'The identity provider does not answer; try again later', { cause });

export const accountSuspended = () => new ApiError('unauthorized', 'This account is suspended; ask support');

export const userSuspended = () => badRequest('The user is suspended');

export const mailOff = () => badRequest('Mail is not configured');

export const secondFactorsOff = () => badRequest('Second factors are off: the host has not set SECRETS_KEY');

/** If an identity provider alone decides who signs in, access to a mailbox must not be enough. */
export const linksOff = () => badRequest('Signing in by a link or with a password is turned off');

export const passwordsOff = () => badRequest('Signing in with a password is turned off');

const tooMany = (what: string) => (retryAfterSeconds: number) => {
  // The seconds are already rounded up, so 901 means 15 minutes.
  const minutes = Math.max(1, Math.ceil((retryAfterSeconds - 1) / 60));
  return new ApiError('rate_limited', `Too many ${what}; try again in ${minutes} min`, { retryAfterSeconds });
};

export const tooManyFailures = tooMany('failed attempts');
export const tooManyMailedLinks = tooMany('links by mail');
export const tooManyNewKeys = tooMany('new keys');
export const tooManyNewTickets = tooMany('new tickets');
export const tooManyPulls = tooMany('fetched files');
export const tooManyRequests = tooMany('requests');

/** Turns anything thrown into an error for the caller. An error not written for callers becomes a bare 500. */
export function asApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  if (failure instanceof TRPCError && failure.code === 'BAD_REQUEST') {
    const { cause } = failure;
    return cause instanceof ZodError ? invalidInput(cause) : badRequest('The request is not valid', cause);
  }
  const outage = outageOf(failure);
  if (!outage) return new ApiError('internal_error', 'Internal error', { cause: failure });
  const advice = outage.wroteNothing ? nothingDone : unknownOutcomeAdvice;
  return databaseUnavailable(outage, advice, { cause: failure, isOutcomeUnknown: !outage.wroteNothing });
}

/** For requests that write nothing: a retry is safe, whatever the database reports. */
export function asReadFailure(failure: unknown): unknown {
  const outage = outageOf(failure);
  return outage ? databaseUnavailable(outage, 'retry in 1 s', { cause: failure }) : failure;
}

const nothingDone = 'nothing was done, retry in 1 s';

/** This also holds if an earlier step of the call has already written something. */
const unknownOutcomeAdvice =
  'a write may have happened anyway: retry in 1 s with the same Idempotency-Key, or look first';

const databaseUnavailable = ({ state }: Outage, advice: string, options: ApiErrorOptions) =>
  new ApiError('overloaded', `The database ${databaseStates[state]}; ${advice}`, {
    ...options,
    retryAfterSeconds: 1,
  });

const databaseStates = { unreachable: 'cannot be reached', busy: 'is busy' };
