/**
 * A circuit breaker before one of the panel's APIs: while the panel is down, or has asked us to wait, calls fail at
 * once. Reports how each call ends, and alerts the operator to what only the operator can fix.
 */
import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  type IBackoff,
  isBrokenCircuitError,
} from 'cockatiel';
import type { Clock } from '../../routers/ports.ts';
import { failureTable, isOutage, type PanelApi, PanelFailure, panelOutcome } from './failures.ts';
import type { PanelSettings } from './options.ts';

/** Makes the call, or throws PanelFailure without making it while the circuit is open. */
export type CircuitBreaker = <Value>(requestId: string, call: () => Promise<Value>) => Promise<Value>;

export function createCircuitBreaker(api: PanelApi, settings: PanelSettings): CircuitBreaker {
  const { clock, log, failureThreshold, resetTimeoutMs, pauseMsMax, onOutcome } = settings;
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
        retryAt = Math.max(retryAt, clock() + Math.min(error.retryAfterMs, pauseMsMax));
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
