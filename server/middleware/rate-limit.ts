/**
 * Counts the calls of verified callers by key and has koa-ratelimit refuse what is over the limit.
 * A batch counts as the calls it holds, all or none. Callers without a verified key cost no memory.
 */
import type Koa from 'koa';
import ratelimit from 'koa-ratelimit';
import { mcpMessagesPerMinute } from '../../bridge/mcp.ts';
import type { Middleware, RequestState } from '../../bridge/request-state.ts';
import { rateLimited } from '../../routers/errors.ts';
import type { CallLimit } from '../../routers/ports.ts';
import { type Count, type Counter, windowMs } from '../limit/counter.ts';
import type { Redis } from '../redis.ts';

/** What somebody signed in may ask of the account page; far more than a person does. */
const visitsPerMinute = 240;

/** The limit of calls and that of protocol messages which are none, and what the former has counted. */
export function createRateLimits(counter: Counter, callsPerMinute: number) {
  const takeOf = (what: string, perMinute: number) => (keyId: string, calls: number) =>
    counter.take(`${what}:${keyId}`, calls, perMinute);
  const takeCalls = takeOf('calls', callsPerMinute);
  const takeMessages = takeOf('messages', mcpMessagesPerMinute);
  const takeVisits = takeOf('visits', visitsPerMinute);
  const callLimit: CallLimit = {
    perMinute: callsPerMinute,
    callsLeft: async (keyId) => (await takeCalls(keyId, 0)).left,
  };
  return {
    limitCalls: createRateLimit(takeCalls, callsPerMinute),
    limitMessages: createRateLimit(takeMessages, mcpMessagesPerMinute),
    limitVisits: createRateLimit(takeVisits, visitsPerMinute, sessionOf),
    callLimit,
  };
}

type Take = (keyId: string, calls: number) => Promise<Count>;

type IdOf = (state: RequestState) => string | undefined;

const keyOf: IdOf = ({ caller }) => caller?.keyId;
const sessionOf: IdOf = ({ session }) => session?.user._id.toString();

const createRateLimit = (take: Take, perMinute: number, idOf = keyOf): Middleware =>
  async function rateLimit(ctx, next) {
    const { cost } = ctx.state;
    const id = idOf(ctx.state);
    if (id === undefined || cost === 0) return next();
    await judgeBy(await take(id, cost), perMinute)(ctx, next);
  };

/** koa-ratelimit with one count in the place of its Redis: it tells the headers, and lets pass or refuses. */
function judgeBy({ fits, left, resetSeconds, secondsLeft }: Count, perMinute: number): Middleware {
  // The driver expects what was left before the call.
  const counted = { ratelimiter: async () => [fits ? left + 1 : 0, resetSeconds, perMinute] };
  const options = {
    driver: 'redis' as const,
    db: counted as unknown as Redis, // all that the driver calls of it
    duration: windowMs,
    max: perMinute,
    id: () => 'counted',
    onLimited: (ctx: Koa.Context) => {
      ctx.set('X-RateLimit-Remaining', String(left));
      throw rateLimited(secondsLeft);
    },
  };
  return ratelimit(options) as Middleware; // its types know Koa's plain context only
}
