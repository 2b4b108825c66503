/** Sends the requests of webhooks. Their results reveal nothing about the network or the receiver. */
import { Agent as HttpAgent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { performance } from 'node:perf_hooks';
import { concurrentAttemptsMax, receiverBytesMax } from '../../models/bounds.ts';
import type { AttemptError } from '../../models/outbox/schema.ts';
import { dayMs } from '../../models/support/durations.ts';
import { type AddressRules, ForbiddenAddressError } from '../outbound/addresses.ts';
import { fetchOutbound, NoResponseError } from '../outbound/fetch.ts';
import { isTlsErrorCode, parseRetryAfter } from '../outbound/response-errors.ts';

export interface PostResult {
  status: number | null;
  error: AttemptError | null;
  durationMs: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The request may have arrived although there was no response. */
  isUncertain: boolean;
}

interface PostRequest {
  url: string;
  body: string;
  headers?: Record<string, string>;
}

export type SendPost = (post: PostRequest) => Promise<PostResult>;

/**
 * Sockets stay open for the next delivery to the same host, because their address was checked on connection. Their
 * number has no bound per host: at a host that many customers use, one customer's slow webhook would take the sockets
 * of the others.
 */
export function createPost(rules: AddressRules, timeoutMs: number) {
  const options = { keepAlive: true, maxFreeSockets: concurrentAttemptsMax.webhook, timeout: timeoutMs };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  async function send({ url: address, body, headers }: PostRequest) {
    const url = new URL(address);
    if (!rules.isAllowedUrl(url)) throw new ForbiddenAddressError('the address must not be called');
    const { status, ...response } = await fetchOutbound(url, {
      method: 'POST',
      body,
      lookup: rules.lookup(url),
      signal: AbortSignal.timeout(timeoutMs),
      agents,
      bytesMax: receiverBytesMax,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'gamehost-webhooks' },
    });
    const text = response.body.toString('utf8');
    return { status, error: errorOfStatus(status), headers: response.headers, text, isUncertain: false };
  }
  const post: SendPost = async (request) => {
    const startedAt = performance.now();
    const outcome = await send(request).catch(outcomeOf);
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
  };
  const close = () => {
    agents.http.destroy();
    agents.https.destroy();
  };
  return { post, close };
}

function outcomeOf(failure: unknown) {
  const { cause, isSent } = failure instanceof NoResponseError ? failure : { cause: failure, isSent: false };
  return { status: null, error: errorOf(cause), headers: {}, text: '', isUncertain: isSent };
}

function errorOfStatus(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'status';
}

function errorOf(failure: unknown): AttemptError {
  if (failure instanceof ForbiddenAddressError) return 'address';
  const { name = '', code = '' } = failure as { name?: string; code?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ETIMEDOUT') return 'timeout';
  return isTlsErrorCode(String(code)) ? 'tls' : 'connection';
}

/** @returns the longest of Retry-After and `others`, in milliseconds and at most a day; null if none is positive */
export function retryAfterOf({ headers }: Pick<PostResult, 'headers'>, ...others: number[]): number | null {
  const fromHeader = parseRetryAfter(headers['retry-after'], Date.now());
  const longest = Math.max(fromHeader, ...others.filter(Number.isFinite));
  return longest > 0 ? Math.min(longest, dayMs) : null;
}

export const disabledReasonOf = (status: number | null): string | null =>
  status === 410 ? 'The receiver answered 410 (Gone)' : null;
