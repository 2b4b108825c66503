/**
 * HTTP to the panel: one got client per API, each with its own key. Redirects are not followed, cookies are not kept,
 * and only calls of the application API, which are reads, are retried.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { got } from 'got';
import type { PanelApi } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { type PanelResponse, readResponse } from './response.ts';

export interface PanelHttpRequest {
  path: string;
  requestId: string;
  /** Makes it a POST with this body. */
  json?: object;
}

/** Throws PanelFailure when no response comes; a response of any status is returned. */
export type PanelHttpClient = (request: PanelHttpRequest) => Promise<PanelResponse>;

export function createPanelHttpClient(api: PanelApi, settings: PanelSettings): PanelHttpClient {
  const options = api === 'application' ? readOptions(settings) : clientOptions(settings);
  const client = createSharedClient(settings.url).extend(options);
  const { traceCall } = settings;
  const totalMs = api === 'application' ? settings.readTotalMs : settings.clientTimeoutMs;
  return ({ path, requestId, json }) => {
    const method = json ? 'POST' : 'GET';
    return traceCall({ api, method }, (traceHeaders) => {
      const headers = { ...traceHeaders, 'x-request-id': requestId };
      const signal = AbortSignal.timeout(totalMs);
      return readResponse(client(path, { method, headers, signal, ...(json && { json }) }), settings);
    });
  };
}

const createSharedClient = (url: string) =>
  got.extend({
    prefixUrl: url,
    // Uncompressed, so that the bound on a response's size is a bound on memory.
    headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'gamehost' },
    decompress: false,
    responseType: 'buffer',
    followRedirect: false,
    throwHttpErrors: false,
    retry: { limit: 0 },
  });

const readOptions = (settings: PanelSettings) => ({
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
    // Not before the panel's Retry-After has passed.
    maxRetryAfter: 0,
  },
});

const clientOptions = (settings: PanelSettings) => {
  // A panel may close an idle connection just as we write, and a signal lost so could not be retried: a connection is
  // reused only while it has been idle for less than servers' usual keep-alive.
  const agentOptions = { keepAlive: true, timeout: settings.clientIdleMs };
  return {
    headers: { authorization: `Bearer ${settings.clientKey}` },
    timeout: { request: settings.clientTimeoutMs },
    agent: { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) },
  };
};

const dotSegments = new Set(['', '.', '..']);

/** The identifier encoded as one path segment; null when no encoding keeps it within one. */
export function pathSegment(identifier: string): string | null {
  if (dotSegments.has(identifier) || !identifier.isWellFormed()) return null;
  return encodeURIComponent(identifier);
}
