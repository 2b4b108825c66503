/**
 * Leaves the panel alone while it is down or has asked us to wait, so that its trouble costs our callers
 * no time and us none of its limit. Runs on the service's clock.
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
import { isOutage, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';

/** Runs the call, or throws PanelFailure at once without making it. */
export type Breaker = <Value>(call: () => Promise<Value>) => Promise<Value>;

/** @param name which of the panel's APIs it stands before, for the log */
export function createBreaker(name: string, { clock, log, failuresMax, restMs }: PanelSettings): Breaker {
  const policy = circuitBreaker(handleWhen(isOutage), {
    breaker: new ConsecutiveBreaker(failuresMax),
    halfOpenAfter: { next: () => restFrom(clock, restMs) },
  });
  policy.onBreak(() => log.warn({ api: name, restMs }, 'The panel is down: leaving it alone for a moment'));
  let waitUntil = 0;

  return async (call) => {
    const waitMs = waitUntil - clock();
    if (waitMs > 0) throw new PanelFailure('throttled', { reason: 'it asked us to wait' }, waitMs);
    // Others are refused while one call tries the panel, instead of hanging on its outcome.
    if (policy.state === CircuitState.HalfOpen) throw new PanelFailure('resting');
    try {
      return await policy.execute(call);
    } catch (error) {
      if (isBrokenCircuitError(error)) throw new PanelFailure('resting');
      if (error instanceof PanelFailure) waitUntil = Math.max(waitUntil, clock() + error.waitMs);
      throw error;
    }
  };
}

/** cockatiel compares this duration with the time that passed on Date.now; infinities put our clock in its place. */
function restFrom(clock: Clock, restMs: number): IBackoff<unknown> {
  const until = clock() + restMs;
  return {
    get duration() {
      return clock() < until ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    },
    next: () => restFrom(clock, restMs),
  };
}
