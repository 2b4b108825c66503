/**
 * The wire to the panel: one got client for reads and one for power, each with its own key.
 * No redirect is followed, no cookie kept, and only reads are retried.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { got } from 'got';
import type { PowerSignal } from '../../routers/ports.ts';
import type { PanelSettings } from './options.ts';
import { type PanelAnswer, receive } from './panel-answer.ts';

/** Each call throws PanelFailure when no answer came; an answer of any status is returned. */
export interface PanelHttp {
  get(path: string, requestId: string): Promise<PanelAnswer>;
  /** One attempt, whatever happens: restart is not idempotent. */
  postSignal(path: string, signal: PowerSignal, requestId: string): Promise<PanelAnswer>;
}

export function createPanelHttp(settings: PanelSettings): PanelHttp {
  const shared = createSharedClient(settings.url);
  const reads = shared.extend(readOptions(settings));
  const power = shared.extend(powerOptions(settings));
  const { traceCall, readTotalMs } = settings;
  return {
    get: (path, requestId) =>
      traceCall({ api: 'application', method: 'GET' }, (traceHeaders) => {
        const headers = { ...traceHeaders, 'x-request-id': requestId };
        return receive(reads(path, { headers, signal: AbortSignal.timeout(readTotalMs) }), settings);
      }),
    postSignal: (path, signal, requestId) =>
      traceCall({ api: 'client', method: 'POST' }, (traceHeaders) => {
        const headers = { ...traceHeaders, 'x-request-id': requestId };
        return receive(power.post(path, { headers, json: { signal } }), settings);
      }),
  };
}

const createSharedClient = (url: string) =>
  got.extend({
    prefixUrl: url,
    // Compression is not asked for, so that the bound on an answer's size is a bound on memory.
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
    // Spread, so that callers who failed together do not come back together; 0 means that got rules a retry out.
    calculateDelay: ({ computedValue }: { computedValue: number }) =>
      computedValue && settings.retryDelayMs * (0.5 + Math.random()),
    statusCodes: [500, 502, 503, 504],
    // Not ETIMEDOUT: a panel that is merely slow is not helped by being asked again.
    errorCodes: ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND', 'ENETUNREACH', 'EAI_AGAIN'],
    // A panel that names a time to wait is not asked again before it.
    maxRetryAfter: 0,
  },
});

const powerOptions = (settings: PanelSettings) => {
  // A panel may close a connection that rests just as we write, and such a loss could not be retried: one is used again
  // only while it has rested for less than servers are known to wait.
  const kept = { keepAlive: true, timeout: settings.powerRestMs };
  return {
    headers: { authorization: `Bearer ${settings.clientKey}` },
    timeout: { request: settings.powerTimeoutMs },
    agent: { http: new HttpAgent(kept), https: new HttpsAgent(kept) },
  };
};
