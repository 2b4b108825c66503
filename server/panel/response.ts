/** Reads one response of the panel: bounded in size, our keys removed, JSON and Retry-After parsed. */
import type { IncomingHttpHeaders } from 'node:http';
import { type CancelableRequest, CancelError, RequestError, type Response, TimeoutError } from 'got';
import type { Clock } from '../../routers/ports.ts';
import { PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';

export interface PanelResponse {
  status: number;
  /** The parsed JSON; undefined when it is not JSON. */
  body: unknown;
  /** How long the panel asks us to wait; 0 when it does not. */
  retryAfterMs: number;
  /** The panel's rate limit of this API; null where it does not say. */
  rateLimit: { limit: number; remaining: number } | null;
}

/** Throws PanelFailure when no response comes, or when it is too long. */
export async function readResponse(
  request: CancelableRequest<Response<unknown>>,
  settings: PanelSettings,
): Promise<PanelResponse> {
  request.on('downloadProgress', ({ transferred }) => {
    if (transferred > settings.responseBytesMax) request.cancel();
  });
  const { statusCode, headers, rawBody } = await request.catch((error: unknown) => {
    throw toPanelFailure(error, settings);
  });
  const text = redactKeys(Buffer.from(rawBody).toString(), settings);
  const retryAfterMs = Math.min(
    parseRetryAfter(headers['retry-after'], settings.clock),
    settings.retryAfterMsMax,
  );
  return { status: statusCode, body: parseJson(text), retryAfterMs, rateLimit: parseRateLimit(headers) };
}

/** A panel in debug mode repeats our request headers in its errors, which may be logged. */
const redactKeys = (text: string, { applicationKey, clientKey }: PanelSettings) =>
  text.replaceAll(applicationKey, '[key]').replaceAll(clientKey, '[key]');

function parseJson(text: string): unknown {
  if (text === '') return undefined; // every accepted signal is; an exception of JSON.parse is expensive
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseRateLimit(headers: IncomingHttpHeaders) {
  const limit = Number(headers['x-ratelimit-limit']);
  const remaining = Number(headers['x-ratelimit-remaining']);
  return limit > 0 && remaining >= 0 ? { limit, remaining } : null;
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3), as milliseconds from now. */
function parseRetryAfter(header: string | undefined, clock: Clock) {
  if (header === undefined) return 0;
  const seconds = Number(header);
  const delayMs = Number.isNaN(seconds) ? Date.parse(header) - clock() : seconds * 1000;
  return Number.isNaN(delayMs) ? 0 : Math.max(delayMs, 0);
}

/** Thrown by Node 24, unwrapped by got, during a retry when the connection is refused. */
const neverConnected = 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION';

const isNeverConnected = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === neverConnected;

/** got's errors carry the request's headers, and with them the key, so none of them is passed on. */
function toPanelFailure(error: unknown, { url }: PanelSettings) {
  if (isNeverConnected(error))
    return new PanelFailure('unreachable', {
      transportCode: neverConnected,
      transportMessage: `no connection to ${new URL(url).host}`,
    });
  if (!(error instanceof RequestError)) return error;
  if (error instanceof CancelError)
    return new PanelFailure('malformed', { reason: 'the response is too long' });
  const details = { transportCode: error.code, transportMessage: error.message };
  if (error instanceof TimeoutError) return new PanelFailure('timedOut', details);
  if (error.code.startsWith('HPE_')) return new PanelFailure('unreadable', details);
  const wasSent = error.timings?.upload !== undefined;
  return new PanelFailure(wasSent ? 'connectionLost' : 'unreachable', details);
}
