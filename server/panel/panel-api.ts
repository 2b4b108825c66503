/** One of the panel's two APIs: its HTTP client behind a circuit breaker, with a budget of its rate limit. */
import { notFound } from '../../routers/errors.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { diagnose, isNotFound } from './diagnose.ts';
import { type PanelApi, PanelFailure } from './failures.ts';
import { createPanelHttpClient, type PanelHttpRequest, pathSegment } from './http-client.ts';
import type { PanelSettings } from './options.ts';
import { createRateBudget } from './rate-budget.ts';
import type { PanelResponse } from './response.ts';

/** Makes a value of a response, or throws PanelFailure or ApiError. */
export type ReadBody<Value> = (response: PanelResponse) => Value;

export function createPanelApi(api: PanelApi, settings: PanelSettings) {
  const http = createPanelHttpClient(api, settings);
  const breaker = createCircuitBreaker(api, settings);
  const budget = createRateBudget(settings);
  return {
    allowsReads: budget.allowsReads,
    /** @throws {PanelFailure} where nothing but the reserve for writes is left of the panel's rate limit */
    requireReads() {
      if (!budget.allowsReads()) throw new PanelFailure('throttled', { reason: 'only the reserve is left' });
    },
    send: <Value>(request: PanelHttpRequest, read: ReadBody<Value>) =>
      breaker(request.requestId, async () => read(await budget.track(() => http(request)))),
  };
}

export type PanelApiClient = ReturnType<typeof createPanelApi>;

/** Reads a response of these statuses; one that says NotFound is refused as `noun`, any other as a PanelFailure. */
export const expecting =
  <Value>(statuses: readonly number[], noun: string, read: (body: unknown) => Value): ReadBody<Value> =>
  (response) => {
    if (isNotFound(response)) throw notFound(noun);
    if (!statuses.includes(response.status)) throw diagnose(response);
    return read(response.body);
  };

/** The path of a server in the client API; throws notFound for an identifier that fits in no path. */
export function serverPath(identifier: string, rest: string): string {
  const segment = pathSegment(identifier);
  if (segment === null) throw notFound('Server');
  return `api/client/servers/${segment}/${rest}`;
}
