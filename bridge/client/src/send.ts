/** Sends one call with its credential, repeats it where that is safe, and turns a refusal into a GamehostError. */
import { GamehostError } from './errors.ts';
import { type Exchange, exchange, isRedirect, type Limits, readable } from './exchange.ts';
import type { Operation } from './operations.ts';
import { headersOf, type Input, requestOf } from './request.ts';

export interface CallOptions extends Limits {
  /** For a write that another process may repeat. By default each call has a random one. */
  idempotencyKey?: string | undefined;
  /** Receives a successful response for its headers, such as ETag. The client has read its body. */
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
  /** Receives the JSON of the response as the API sent it: JavaScript changes long numbers and the order of some fields. */
  onText?: ((text: string) => void) | undefined;
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
  { operation, input = {}, options = {}, onText }: Call,
): Promise<unknown> {
  const { path, headers, body } = requestOf(operation, input, options.idempotencyKey);
  const request = { url: connection.apiUrl + path, method: operation.method, body };
  const limits = { signal: options.signal, timeoutMs: options.timeoutMs ?? connection.timeoutMs };
  for (let attempt = 0; ; attempt++) {
    const credential = await connection.credential();
    const sent = headersOf({ ...headers, ...(credential && { Authorization: `Bearer ${credential}` }) });
    try {
      const answer = await exchange(connection.fetch, { ...request, headers: sent }, limits);
      const output = readOutput(answer, new URL(request.url).host);
      options.onResponse?.(answer.response);
      onText?.(answer.text);
      return output;
    } catch (failure) {
      const canRetry = attempt < connection.retries && failure instanceof GamehostError;
      if (!canRetry || !isSafeToRepeat(operation, failure)) throw failure;
      await pause(failure.retryAfterSeconds ?? backoffSeconds(attempt), options.signal);
    }
  }
}

function readOutput({ response, text }: Exchange, host: string): unknown {
  const json = parse(text);
  if (response.ok && json !== undefined) return json;
  const { status, headers } = response;
  throw new GamehostError({
    status: status || null,
    ...(errorIn(json) ?? { code: 'unexpected_response', message: describeUnexpected(response, host) }),
    requestId: headers.get('X-Request-Id'),
    retryAfterSeconds: secondsUntil(headers.get('Retry-After')),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorIn(json: unknown): { code: string; message: string } | null {
  const { code, message } = (json as { error?: Record<string, unknown> } | null | undefined)?.error ?? {};
  return typeof code === 'string' && typeof message === 'string'
    ? { code: readable(code), message: readable(message) }
    : null;
}

function describeUnexpected(response: Response, host: string): string {
  const event = isRedirect(response)
    ? 'redirects to another address, which is not followed'
    : `answered with status ${response.status}, but not as this API`;
  const advice = response.status >= 500 ? 'Try again later' : 'Is this the address of the API?';
  return `${host} ${event}. ${advice}`;
}

/** Retry-After has seconds, or a date. */
function secondsUntil(retryAfter: string | null): number | null {
  if (!retryAfter) return null;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

function isSafeToRepeat({ method, isIdempotent }: Operation, failure: GamehostError): boolean {
  const { status, code, retryAfterSeconds } = failure;
  if ((retryAfterSeconds ?? 0) > retryAfterSecondsMax) return false;
  // The API asks for it, so that even a write without an Idempotency-Key is repeated.
  if (status === 429 || status === 503) return true;
  // An earlier attempt with this Idempotency-Key may still be in progress.
  if (status === 409) return isIdempotent && retryAfterSeconds !== null;
  const mayHaveHappened = status === 502 || code === 'connection_failed' || code === 'timeout';
  return mayHaveHappened && (method === 'GET' || isIdempotent);
}

function backoffSeconds(attempt: number): number {
  const longest = Math.min(backoffMs * 2 ** attempt, backoffMsMax);
  return ((1 + Math.random()) * longest) / 2 / 1000;
}

export const pause = (seconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
