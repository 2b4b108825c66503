/**
 * Refuses what would only make everybody wait: beyond so many requests at work, one more is answered 503 at once.
 * Counts work, not connections: who is slow to send a request or to read an answer takes nobody's place.
 */
import type { Middleware } from '../../bridge/request-state.ts';
import { overloaded } from '../../routers/errors.ts';

export function createShed({ inFlightMax }: { inFlightMax: number }): Middleware {
  let inFlight = 0;
  /** Waiting for a client to send is no work; nothing has been done yet when it is over. */
  async function outside<Sent>(sent: Promise<Sent>): Promise<Sent> {
    inFlight -= 1;
    let body: Sent;
    try {
      body = await sent;
    } finally {
      inFlight += 1;
    }
    if (inFlight > inFlightMax) throw overloaded();
    return body;
  }
  return async function shed(ctx, next) {
    if (inFlight >= inFlightMax) throw overloaded();
    inFlight += 1;
    ctx.state.waitForClient = outside;
    try {
      await next();
    } finally {
      inFlight -= 1;
    }
  };
}
