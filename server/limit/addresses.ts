/** Limits visitors, who are known only by address: all their requests, and separately the expensive ones. */
import koaRateLimit from 'koa-ratelimit';
import QuickLRU from 'quick-lru';
import type { Middleware, RequestContext } from '../../bridge/protocol.ts';
import { rememberedCallersMax } from '../../models/bounds.ts';
import { minuteMs } from '../../models/support/durations.ts';
import { type ApiError, rateLimited, tooManyRequests } from '../../routers/errors.ts';
import type { SharedRedis } from '../redis.ts';
import type { Limiter, Window } from './limiter.ts';
import { networkOf } from './owner.ts';

/** An IPv6 /48, which is one site at many providers, may use this many times the limit of a /64. */
export const ipv6SiteFactor = 10;

interface AddressLimitOptions {
  addressLimitPerMinute: number;
  shared: SharedRedis | null;
}

/** The process counts first: its refusals cost Redis nothing, and it still limits while Redis is unavailable. */
export function createVisitorLimit({ addressLimitPerMinute: max, shared }: AddressLimitOptions) {
  const limitInProcess = createLimits(max, () => ({
    driver: 'memory',
    db: new QuickLRU({ maxSize: rememberedCallersMax }),
  }));
  const limitInRedis = shared && createLimits(max, () => ({ driver: 'redis', db: shared.redis }));
  return async function limitVisitor(ctx: RequestContext): Promise<void> {
    if (max === 0) return;
    const refusal =
      (await limitInProcess(ctx)) ??
      (limitInRedis &&
        (await shared.runOrFallBack(
          () => limitInRedis(ctx),
          () => Promise.resolve(null),
        )));
    if (refusal) throw refusal;
  };
}

type CountStore = Pick<koaRateLimit.MiddlewareOptions, 'driver' | 'db'>;

function createLimits(max: number, createStore: () => CountStore) {
  const limitBy = (id: (ctx: RequestContext) => string | false, max: number): Middleware =>
    koaRateLimit({
      ...createStore(),
      max,
      duration: minuteMs,
      disableHeader: true,
      id: id as never, // koa-ratelimit's type for the context lacks our `state`
      throw: true,
    }) as Middleware;
  const limits = [
    limitBy(({ state }) => networkOf(state.request.address) || 'unknown', max),
    limitBy(
      ({ state: { request } }) => request.address.includes(':') && networkOf(request.address, 48),
      max * ipv6SiteFactor,
    ),
  ];
  return async (ctx: RequestContext): Promise<ApiError | null> => {
    for (const limit of limits) {
      const refusal = await Promise.resolve(limit(ctx, async () => {})).then(() => null, asRefusal);
      if (!refusal) continue;
      ctx.remove('Retry-After');
      return refusal;
    }
    return null;
  };
}

/** @throws a failure that is not a refusal, such as one of Redis */
function asRefusal(failure: { headers?: { 'Retry-After'?: number } }): ApiError {
  const seconds = failure.headers?.['Retry-After'];
  if (seconds === undefined) throw failure;
  return rateLimited(seconds + 1); // koa-ratelimit rounds down: a client that waits that long is refused again
}

/** Limits each IPv4 address or IPv6 /64, and a /48 to ten times as many. The returned function throws rate_limited. */
export function createRequestLimit(limiter: Limiter, window: Window) {
  const site = { ...window, name: `${window.name}:site`, max: window.max * ipv6SiteFactor };
  return async function limitRequest(address: string): Promise<void> {
    for (const [counted, network] of [
      [window, networkOf(address)],
      [site, networkOf(address, 48)],
    ] as const) {
      const { fits, secondsLeft } = await limiter.consume(counted, network, 1);
      if (!fits) throw tooManyRequests(secondsLeft);
    }
  };
}
