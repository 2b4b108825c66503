/**
 * Counts verified callers by key with koa-ratelimit and refuses what is over the limit.
 * Callers without a verified key are not counted, so they cost no memory.
 */
import type Koa from 'koa';
import ratelimit from 'koa-ratelimit';
import type { Middleware } from '../../bridge/request-state.ts';
import { rateLimited } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import { RateWindows } from './rate-windows.ts';

const windowMs = 60_000;

export function createRateLimit({ perMinute, clock }: { perMinute: number; clock: Clock }): Middleware {
  const windows = new RateWindows(windowMs, clock);
  const options = {
    driver: 'memory' as const,
    db: windows,
    duration: windowMs,
    max: perMinute,
    id: (ctx: Koa.Context) => ctx.state.caller?.keyId ?? false,
    onLimited: (ctx: Koa.Context) => {
      throw rateLimited(windows.secondsLeft(ctx.state.caller.keyId));
    },
  };
  return ratelimit(options) as Middleware; // its types know Koa's plain context only
}
