/**
 * Refuses a request with 503 when the process is overloaded: too many requests in progress, or too many bytes of
 * responses that clients have not taken. A client that is slow to send holds no slot.
 */
import type { Middleware } from '../../bridge/http/request-state.ts';
import { overloaded } from '../../routers/errors.ts';
import { ByteBudget } from './byte-budget.ts';
import { createReceiveBody } from './receive-body.ts';

interface ShedOptions {
  /** How many requests may be at work at once. */
  inFlightMax: number;
  /** Of all request bodies that are being received or worked on. */
  requestBytesMax: number;
  responseBytes: ByteBudget;
}

export function createShed({ inFlightMax, requestBytesMax, responseBytes }: ShedOptions): Middleware {
  let inFlight = 0;
  async function releaseSlotWhile<Received>(receiving: Promise<Received>): Promise<Received> {
    inFlight -= 1;
    const received = await receiving.finally(() => {
      inFlight += 1;
    });
    if (inFlight > inFlightMax) throw overloaded();
    return received;
  }
  const requestBytes = new ByteBudget(requestBytesMax);
  const receiveBody = createReceiveBody({ requestBytes, releaseSlotWhile });
  return async function shed(ctx, next) {
    if (inFlight >= inFlightMax || responseBytes.isExhausted) throw overloaded();
    inFlight += 1;
    ctx.state.receiveBody = receiveBody;
    try {
      await next();
    } finally {
      inFlight -= 1;
      ctx.state.releaseBody?.();
    }
  };
}
