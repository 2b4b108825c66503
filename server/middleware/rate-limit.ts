/**
 * Counts the calls of verified callers by key with koa-ratelimit and refuses what is over the limit.
 * A batch counts as the calls it holds, all or none. Callers without a verified key cost no memory.
 */
import type Koa from 'koa';
import ratelimit from 'koa-ratelimit';
import type { Middleware } from '../../bridge/request-state.ts';
import { rateLimited } from '../../routers/errors.ts';
import type { CallLimit, Clock } from '../../routers/ports.ts';
import { RateWindows } from './rate-windows.ts';

const windowMs = 60_000;

interface RateLimit {
  rateLimit: Middleware;
  /** What the middleware has counted. */
  callLimit: CallLimit;
}

export function createRateLimit({ perMinute, clock }: { perMinute: number; clock: Clock }): RateLimit {
  const windows = new RateWindows(windowMs, clock);
  const options = {
    driver: 'memory' as const,
    db: windows,
    duration: windowMs,
    max: perMinute,
    id: (ctx: Koa.Context) => ctx.state.caller.keyId,
    onLimited: (ctx: Koa.Context) => {
      throw rateLimited(windows.secondsLeft(ctx.state.caller.keyId));
    },
  };
  const countOne = ratelimit(options) as Middleware; // its types know Koa's plain context only
  const rateLimit: Middleware = async (ctx, next) => {
    const { caller, cost } = ctx.state;
    if (!caller || cost === 0) return next();
    if (cost > 1 && !windows.takeAhead(caller.keyId, cost - 1, perMinute)) {
      ctx.set(windows.headers(caller.keyId));
      throw rateLimited(windows.secondsLeft(caller.keyId));
    }
    await countOne(ctx, next);
  };
  const callLimit = {
    perMinute,
    callsLeft: async (keyId: string) => windows.callsLeft(keyId) ?? perMinute,
  };
  return { rateLimit, callLimit };
}
