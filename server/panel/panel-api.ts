/** One of the panel's two APIs: its HTTP client behind a circuit breaker, with a budget of its rate limit. */

import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  type IBackoff,
  isBrokenCircuitError,
} from 'cockatiel';
import { z } from 'zod';
import { notFound } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { createClientHttp } from './client-http.ts';
import { diagnose, isNotFound } from './diagnose.ts';
import { failureTable, isOutage, type PanelApi, PanelFailure, panelOutcome } from './failures.ts';
import { createPanelHttpClient, type PanelHttpRequest, type PanelResponse } from './http-client.ts';
import type { PanelSettings } from './options.ts';

interface PanelApiRequest extends PanelHttpRequest {
  needsNode?: boolean;
}

/** Makes a value of a response, or throws PanelFailure or ApiError. */
export type ReadBody<Value> = (response: PanelResponse) => Value;

export function createPanelApi(api: PanelApi, settings: PanelSettings) {
  const http = api === 'client' ? createClientHttp(settings) : createPanelHttpClient(api, settings);
  const breaker = createCircuitBreaker(api, settings);
  const budget = createRateBudget(settings);
  return {
    allowsReads: budget.allowsReads,
    /** @throws {PanelFailure} where nothing but the reserve for writes is left of the panel's rate limit */
    requireReads() {
      if (!budget.allowsReads()) throw new PanelFailure('throttled', { reason: 'only the reserve is left' });
    },
    send: <Value>({ needsNode, ...request }: PanelApiRequest, read: ReadBody<Value>) =>
      breaker(request.requestId, async () => {
        try {
          return read(await budget.track(() => http(request)));
        } catch (error) {
          throw needsNode ? blameNode(error) : error;
        }
      }),
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

/** @throws {PanelFailure} for a body that does not match; undefined stands for one that could not be read */
export function parseBody<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new PanelFailure(body === undefined ? 'unreadable' : 'malformed', {
    reason: z.prettifyError(parsed.error),
  });
}

/** Of a proxy in front of the panel that has waited for long enough; the second is Cloudflare's. */
const gatewayTimeouts: readonly unknown[] = [504, 524];

/** The panel waits for its node: that no answer came in time shows nothing of the panel. */
function blameNode(error: unknown) {
  if (!(error instanceof PanelFailure)) return error;
  const { kind, details } = error;
  const isLate = kind === 'timedOut' || (kind === 'failed' && gatewayTimeouts.includes(details.status));
  return isLate ? new PanelFailure('nodeTimedOut', details) : error;
}

/** Makes the call, or throws PanelFailure without making it while the circuit is open. */
type CircuitBreaker = <Value>(requestId: string, call: () => Promise<Value>) => Promise<Value>;

/**
 * A circuit breaker before one of the panel's APIs: while the panel is down, or requires us to wait, calls fail at
 * once. Reports how each call ends, and alerts the operator to what only the operator can fix.
 */
function createCircuitBreaker(api: PanelApi, settings: PanelSettings): CircuitBreaker {
  const { clock, log, failureThreshold, resetTimeoutMs, onOutcome } = settings;
  const policy = circuitBreaker(handleWhen(isOutage), {
    breaker: new ConsecutiveBreaker(failureThreshold),
    halfOpenAfter: backoffUntil(clock, resetTimeoutMs),
  });
  policy.onBreak(() => log.warn({ api, resetTimeoutMs }, 'The panel is down: its circuit is open'));
  let retryAt = 0;

  async function run<Value>(call: () => Promise<Value>) {
    const retryAfterMs = retryAt - clock();
    if (retryAfterMs > 0)
      throw new PanelFailure('throttled', { reason: 'its Retry-After has not passed' }, retryAfterMs);
    // cockatiel lets other calls wait for the outcome of the probe; here they fail at once.
    if (policy.state === CircuitState.HalfOpen) throw new PanelFailure('circuitOpen');
    try {
      const outcome = await policy.execute(() => settle(call));
      if ('value' in outcome) return outcome.value;
      throw outcome.error;
    } catch (error) {
      if (isBrokenCircuitError(error)) throw new PanelFailure('circuitOpen');
      if (error instanceof PanelFailure && isOutage(error))
        retryAt = Math.max(retryAt, clock() + pauseMsOf(error, settings));
      throw error;
    }
  }

  return async (requestId, call) => {
    try {
      const value = await run(call);
      onOutcome(api, 'answered');
      return value;
    } catch (error) {
      onOutcome(api, panelOutcome(error));
      if (error instanceof PanelFailure) alertOperator(error, { api, requestId }, settings);
      throw error;
    }
  };
}

/** A panel's maintenance may end before the time that it tells. */
const pauseMsOf = ({ kind, retryAfterMs }: PanelFailure, { pauseMsMax, resetTimeoutMs }: PanelSettings) =>
  Math.min(retryAfterMs, kind === 'throttled' ? pauseMsMax : resetTimeoutMs);

/** Rejected by an outage only: to the policy any other error is a success, as it shows that the panel is up. */
const settle = <Value>(call: () => Promise<Value>): Promise<{ value: Value } | { error: unknown }> =>
  call().then(
    (value) => ({ value }),
    (error: unknown) => {
      if (isOutage(error)) throw error;
      return { error };
    },
  );

/** cockatiel compares `duration` with the time passed on Date.now; the infinities put our clock in its place. */
function backoffUntil(clock: Clock, delayMs: number): IBackoff<unknown> & { next(): IBackoff<unknown> } {
  const until = clock() + delayMs;
  return {
    get duration() {
      return clock() < until ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    },
    next: () => backoffUntil(clock, delayMs),
  };
}

function alertOperator(failure: PanelFailure, fields: object, { log }: PanelSettings) {
  const { operatorMessage } = failureTable[failure.kind];
  if (operatorMessage) log.error({ ...fields, ...failure.details }, operatorMessage);
}

/** Both panels count by the minute, in fixed windows. */
const windowMs = 60_000;

/** Until the first response: the smallest default of the panels' APIs, so that a burst at the start is bounded too. */
const assumedLimit = 240;

interface KnownLimit {
  limit: number;
  remaining: number;
  at: number;
}

interface RateBudgetOptions {
  clock: Clock;
  /** The share of the limit that reads leave. */
  reservedShare: number;
}

/**
 * Keeps a share of the panel's rate limit for power and other writes. The panel counts all our calls of one API
 * together and says what is left in each response; reads stop while only the reserve is left.
 */
function createRateBudget({ clock, reservedShare }: RateBudgetOptions) {
  let known: KnownLimit | null = { limit: assumedLimit, remaining: assumedLimit, at: clock() };
  let pending = 0;

  return {
    /** Whether a read may use the panel now. Always true where the panel does not send its limit. */
    allowsReads() {
      if (!known) return true;
      const { limit, remaining, at } = known;
      const ageMs = clock() - at;
      const left = ageMs >= 0 && ageMs < windowMs ? remaining : limit;
      return left - pending > limit * reservedShare;
    },
    /** Counts a call while it is pending, and reads from its response what is left. */
    async track(call: () => Promise<PanelResponse>): Promise<PanelResponse> {
      pending += 1;
      try {
        const response = await call();
        known = response.rateLimit && { ...response.rateLimit, at: clock() };
        return response;
      } finally {
        pending -= 1;
      }
    },
  };
}
