/** Limits visitors, of whom only the address is known: all of their requests, and the few things that cost more. */
import koaRateLimit from 'koa-ratelimit';
import QuickLRU from 'quick-lru';
import type { Middleware, RequestContext } from '../../bridge/protocol.ts';
import { rememberedCallersMax } from '../../models/bounds.ts';
import { minuteMs } from '../../models/support/durations.ts';
import { type ApiError, rateLimited, tooManyRequests } from '../../routers/errors.ts';
import type { SharedRedis } from '../redis.ts';
import type { Limiter, Window } from './limiter.ts';
import { networkOf } from './owner.ts';

/** How many times the limit of a /64 all of an IPv6 /48 may use, which is one site at many providers. */
export const siteFactor = 10;

interface AddressLimitOptions {
  /** 0 turns it off. */
  addressLimitPerMinute: number;
  /** Counts for all processes together; null where this is the only one. */
  shared: SharedRedis | null;
}

/**
 * Counts a request of a visitor; what it returns throws rate_limited. Each process counts by itself first, so that what one
 * refuses costs Redis nothing, and limits without it while it is unavailable.
 */
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

/** By the address or /64, and by the /48. What it returns resolves to the refusal of the first that is full. */
function createLimits(max: number, createStore: () => CountStore) {
  const limitBy = (id: (ctx: RequestContext) => string | false, max: number): Middleware =>
    koaRateLimit({
      ...createStore(),
      max,
      duration: minuteMs,
      disableHeader: true,
      id: id as never, // its types know Koa's plain context only
      throw: true,
    }) as Middleware;
  const limits = [
    limitBy(({ state }) => networkOf(state.request.address) || 'unknown', max),
    limitBy(
      ({ state: { request } }) => request.address.includes(':') && networkOf(request.address, 48),
      max * siteFactor,
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

/** @throws what is none, such as a failure of Redis */
function asRefusal(failure: { headers?: { 'Retry-After'?: number } }): ApiError {
  const seconds = failure.headers?.['Retry-After'];
  if (seconds === undefined) throw failure;
  return rateLimited(seconds + 1); // rounded down: a client that waits that long is refused again
}

/** Counts one kind of request: of an IPv4 address or an IPv6 /64, and ten times as many of a /48. What it returns throws rate_limited. */
export function createRequestLimit(limiter: Limiter, window: Window) {
  const site = { ...window, name: `${window.name}:site`, max: window.max * siteFactor };
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
