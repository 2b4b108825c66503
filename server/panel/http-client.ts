/** HTTP to the panel, without redirects and cookies. Only calls of the application API, which are reads, are retried. */
import { Agent as HttpAgent, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type CancelableRequest, CancelError, got, RequestError, type Response, TimeoutError } from 'got';
import { parseRetryAfter } from '../outbound/response-errors.ts';
import type { RateLimit } from './api-evidence.ts';
import { type PanelApi, PanelFailure } from './failures.ts';
import { parseJson } from './parse-json.ts';
import type { PanelSettings } from './settings.ts';

export interface PanelHttpRequest {
  path: string;
  requestId: string;
  json?: object;
  text?: Buffer;
  method?: 'PUT' | 'DELETE';
  /** Requests a file: the body of a success is a Buffer. */
  isFile?: boolean;
  /** A longer response is refused unread. Default: `responseBytesMax`. */
  bytesMax?: number;
}

/** Resolves to a response of any status. @throws {PanelFailure} if none arrives */
export type PanelHttpClient = (request: PanelHttpRequest) => Promise<PanelResponse>;

export function createPanelHttpClient(api: PanelApi, settings: PanelSettings): PanelHttpClient {
  const isClient = api === 'client';
  const client = shared.extend({
    prefixUrl: settings.url,
    ...(isClient ? clientOptions(settings) : applicationOptions(settings)),
  });
  // A call of the client API is never retried, so the time-out of its one attempt is enough.
  const limit = () => (isClient ? {} : { signal: AbortSignal.timeout(settings.readTotalMs) });
  const { responseBytesMax } = settings;
  return ({ path, requestId, isFile = false, bytesMax = responseBytesMax, json, text, method: asked }) => {
    const method = asked ?? (json !== undefined || text !== undefined ? 'POST' : 'GET');
    const body = { ...(json && { json }), ...(text !== undefined && { body: text }) };
    // With a JSON content type, the panel would parse the text.
    const type = text !== undefined && { 'content-type': 'text/plain' };
    return settings.traceCall({ api, method }, (traceHeaders) => {
      const headers = { ...traceHeaders, ...type, 'x-request-id': requestId };
      const request = client(path, { method, ...limit(), ...body, headers });
      return readResponse(request, { ...settings, isFile, bytesMax });
    });
  };
}

const shared = got.extend({
  // Uncompressed, so that the bound on a response's size is a bound on memory.
  headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'gamehost' },
  decompress: false,
  responseType: 'buffer',
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
});

const applicationOptions = (settings: PanelSettings) => ({
  headers: { authorization: `Bearer ${settings.applicationKey}` },
  timeout: { request: settings.readTimeoutMs },
  retry: {
    limit: settings.readRetries,
    // With jitter, so that calls that failed together are not retried together; 0 from got means no retry.
    calculateDelay: ({ computedValue }: { computedValue: number }) =>
      computedValue && settings.retryDelayMs * (0.5 + Math.random()),
    statusCodes: [500, 502, 503, 504],
    // Not ETIMEDOUT: retrying makes a slow panel slower.
    errorCodes: ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND', 'ENETUNREACH', 'EAI_AGAIN'],
    // Never retries before the panel's Retry-After has passed.
    maxRetryAfter: 0,
  },
});

const clientOptions = (settings: PanelSettings) => {
  // A panel may close an idle connection just as we write, and a signal lost that way could not be retried. So a
  // connection is reused only while it has been idle for less than servers' usual keep-alive.
  const agentOptions = { keepAlive: true, timeout: settings.clientIdleMs };
  return {
    headers: { authorization: `Bearer ${settings.clientKey}` },
    timeout: { request: settings.clientTimeoutMs },
    agent: { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) },
  };
};

const dotSegments = new Set(['', '.', '..']);

/** Null for an identifier that no encoding keeps within one segment of a path. */
export function pathSegment(identifier: string): string | null {
  if (dotSegments.has(identifier) || !identifier.isWellFormed()) return null;
  return encodeURIComponent(identifier);
}

export interface PanelResponse {
  status: number;
  /** Undefined for a body that is not JSON; a Buffer for a file. */
  body: unknown;
  /** Where a redirect leads, or the requested address. */
  target: string;
  retryAfterMs: number;
  rateLimit: RateLimit | null;
}

const retryAfterMsMax = 600_000;

async function readResponse(
  request: CancelableRequest<Response<unknown>>,
  { isFile, bytesMax, ...settings }: PanelSettings & { isFile: boolean; bytesMax: number },
): Promise<PanelResponse> {
  request.on('downloadProgress', ({ transferred }) => {
    if (transferred > bytesMax) request.cancel();
  });
  const { statusCode, headers, rawBody, url } = await request.catch((error: unknown) => {
    throw toPanelFailure(error, settings);
  });
  const bytes = Buffer.from(rawBody);
  // The panel sends every file with this type, so a response of another type is not from the panel.
  const isBytes = isFile && statusCode === 200 && headers['content-type']?.startsWith('text/plain');
  const retryAfterMs = Math.min(parseRetryAfter(headers['retry-after'], settings.clock()), retryAfterMsMax);
  return {
    status: statusCode,
    body: isBytes ? bytes : parseJson(redactKeys(bytes.toString(), settings)),
    target: describeTarget(headers.location ?? url, url),
    retryAfterMs,
    rateLimit: parseRateLimit(headers),
  };
}

/** The address without its query and password, which may be secret. */
function describeTarget(address: string, base: string) {
  if (!URL.canParse(address, base)) return 'no address';
  const { origin, pathname } = new URL(address, base);
  return `${origin}${pathname}`;
}

/** A panel in debug mode repeats our request headers in its errors, which may be logged. */
const redactKeys = (text: string, { applicationKey, clientKey }: PanelSettings) =>
  text.replaceAll(applicationKey, '[key]').replaceAll(clientKey, '[key]');

function parseRateLimit(headers: IncomingHttpHeaders) {
  const limit = Number(headers['x-ratelimit-limit']);
  const remaining = Number(headers['x-ratelimit-remaining']);
  return limit > 0 && remaining >= 0 ? { limit, remaining } : null;
}

/** Node 24 throws this if the connection is refused during a retry, and got does not wrap it. */
const neverConnected = 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION';

/** got's errors carry the request's headers, and with them the key, so none of them is passed on. */
function toPanelFailure(error: unknown, { url }: PanelSettings) {
  if (error instanceof Error && 'code' in error && error.code === neverConnected)
    return new PanelFailure('unreachable', {
      transportCode: neverConnected,
      transportMessage: `no connection to ${new URL(url).host}`,
    });
  if (!(error instanceof RequestError)) return error;
  if (error instanceof CancelError)
    return new PanelFailure('tooLong', { reason: 'the response is too long' });
  const details = { transportCode: error.code, transportMessage: error.message };
  const wasSent = error.timings?.upload !== undefined;
  if (error instanceof TimeoutError) return new PanelFailure(wasSent ? 'timedOut' : 'unreachable', details);
  if (error.code.startsWith('HPE_')) return new PanelFailure('unreadable', details);
  return new PanelFailure(wasSent ? 'connectionLost' : 'unreachable', details);
}
