/**
 * Refuses what would only make everybody wait: beyond so many requests at work, one more is answered 503 at once.
 * Counts work, not connections: who is slow to send a request or to read an answer takes nobody's place.
 */
import type { Middleware } from '../../bridge/request-state.ts';
import { overloaded } from '../../routers/errors.ts';

export function createShed({ inFlightMax }: { inFlightMax: number }): Middleware {
  let inFlight = 0;
  return async function shed(_ctx, next) {
    if (inFlight >= inFlightMax) throw overloaded();
    inFlight += 1;
    try {
      await next();
    } finally {
      inFlight -= 1;
    }
  };
}
