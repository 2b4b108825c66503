/** Sends one call with its credential, repeats it where that is safe, and turns every failure into a GamehostError. */
import { GamehostError } from './errors.ts';
import type { Operation } from './operations.ts';
import { type Input, requestOf } from './request.ts';

export interface CallOptions {
  /** Ends the call, and the wait before a retry. */
  signal?: AbortSignal | undefined;
  /** The longest wait for the response to one attempt. */
  timeoutMs?: number | undefined;
  /** Of a write. By default each call has a random one; give your own to repeat a call from another process. */
  idempotencyKey?: string | undefined;
  /** Receives each successful response, for its headers, such as ETag. The client reads its body. */
  onResponse?: ((response: Response) => void) | undefined;
}

export interface Connection {
  /** The address of the API with its path prefix, without a slash at its end. */
  apiUrl: string;
  /** A key or an access token. Null: the call is sent without one. */
  credential: () => string | null | Promise<string | null>;
  fetch: typeof fetch;
  /** How often a call is repeated at most. */
  retries: number;
  timeoutMs: number;
}

export interface Call {
  operation: Operation;
  input?: Input | undefined;
  options?: CallOptions | undefined;
}

const retryAfterSecondsMax = 60;
const backoffMs = 500;
const backoffMsMax = 8_000;

/**
 * Resolves to the JSON of the response.
 * @throws {GamehostError} when the API refuses the call, or does not answer it after all attempts
 * @throws the signal's reason, once it is aborted
 */
export async function send(
  connection: Connection,
  { operation, input = {}, options = {} }: Call,
): Promise<unknown> {
  const request = requestOf(operation, input, options.idempotencyKey);
  const url = connection.apiUrl + request.path;
  for (let attempt = 0; ; attempt++) {
    const credential = await connection.credential();
    const headers = { ...request.headers, ...(credential && { Authorization: `Bearer ${credential}` }) };
    const init = { method: operation.method, headers, body: request.body };
    try {
      return await attemptOnce(connection, { url, init }, options);
    } catch (failure) {
      options.signal?.throwIfAborted();
      const canRetry = attempt < connection.retries && failure instanceof GamehostError;
      if (!canRetry || !isSafeToRepeat(operation, failure)) throw failure;
      await pause(failure.retryAfterSeconds ?? backoffSeconds(attempt), options.signal);
    }
  }
}

async function attemptOnce(
  { fetch, timeoutMs }: Connection,
  { url, init }: { url: string; init: RequestInit },
  options: CallOptions,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let response: Response;
  let text: string;
  try {
    // A redirection could lead to another host, which must not get the credential.
    response = await fetch(url, { ...init, redirect: 'manual', signal });
    text = await response.text();
  } catch (cause) {
    throw lostConnection(url, timeout.aborted, cause);
  }
  if (!response.ok) throw refusalOf(response, text);
  options.onResponse?.(response);
  return parse(response, text);
}

function lostConnection(url: string, isTimeout: boolean, cause: unknown): GamehostError {
  const { host } = new URL(url);
  return isTimeout
    ? new GamehostError({ code: 'timeout', message: `${host} did not answer in time`, cause })
    : new GamehostError({ code: 'connection_failed', message: `${host} could not be reached`, cause });
}

function refusalOf(response: Response, text: string): GamehostError {
  const { code, message } = errorOf(text);
  return new GamehostError({
    ...detailsOf(response),
    code: code ?? 'unexpected_response',
    message: message ?? `${hostOf(response)} answered with status ${response.status}, but not as this API`,
  });
}

function errorOf(text: string): { code?: string; message?: string } {
  try {
    return JSON.parse(text).error ?? {};
  } catch {
    return {};
  }
}

function parse(response: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `${hostOf(response)} did not answer with JSON. Is baseUrl the address of the API?`;
    throw new GamehostError({ ...detailsOf(response), code: 'unexpected_response', message, cause });
  }
}

const hostOf = ({ url }: Response): string => (url ? new URL(url).host : 'The host');

function detailsOf({ status, headers }: Response) {
  const retryAfter = headers.get('Retry-After');
  const seconds = Number(retryAfter);
  return {
    status,
    requestId: headers.get('X-Request-Id'),
    retryAfterSeconds: retryAfter && Number.isFinite(seconds) ? seconds : null,
  };
}

/** A write without an Idempotency-Key is only repeated if nothing was done. */
function isSafeToRepeat({ method, isIdempotent }: Operation, failure: GamehostError): boolean {
  const { status, code, retryAfterSeconds } = failure;
  if ((retryAfterSeconds ?? 0) > retryAfterSecondsMax) return false;
  if (status === 429 || status === 503) return true;
  if (method !== 'GET' && !isIdempotent) return false;
  // The first attempt with this Idempotency-Key may still be in progress.
  if (status === 409) return retryAfterSeconds !== null;
  return status === 502 || code === 'connection_failed' || code === 'timeout';
}

function backoffSeconds(attempt: number): number {
  const longest = Math.min(backoffMs * 2 ** attempt, backoffMsMax);
  return ((1 + Math.random()) * longest) / 2 / 1000;
}

const pause = (seconds: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
