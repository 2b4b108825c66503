/**
 * Counts the calls of verified callers by key, tells them what is left, and refuses what is over the limit.
 * A batch counts as the calls it holds, all or none. Callers without a verified key cost no memory.
 * Not koa-ratelimit: it cannot take a batch whole, its Redis script counts two calls of one microsecond as one and ends in
 * a 500 when Redis is away, and it sets headers one by one, where `send` writes all of them at once.
 */
import { mcpMessagesPerMinute } from '../../bridge/mcp.ts';
import type { Middleware, RequestState } from '../../bridge/request-state.ts';
import { rateLimited } from '../../routers/errors.ts';
import type { CallLimit } from '../../routers/ports.ts';
import type { Count, Counter } from '../limit/counter.ts';

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

type Take = (keyId: string, calls: number) => Count | Promise<Count>;

type IdOf = (state: RequestState) => string | undefined;

const keyOf: IdOf = ({ caller }) => caller?.keyId;
const sessionOf: IdOf = ({ session }) => session?.user._id.toString();

/** What this process counts by itself is known at once, and then nobody is made to wait for it. */
const createRateLimit = (take: Take, perMinute: number, idOf = keyOf): Middleware =>
  function rateLimit(ctx, next) {
    const { cost } = ctx.state;
    const id = idOf(ctx.state);
    if (id === undefined || cost === 0) return next();
    const judge = (count: Count) => {
      tell(ctx.state.headers, count, perMinute);
      if (!count.fits) throw rateLimited(count.secondsLeft);
      return next();
    };
    const count = take(id, cost);
    return count instanceof Promise ? count.then(judge) : judge(count);
  };

function tell(headers: Record<string, string>, { left, resetSeconds }: Count, perMinute: number): void {
  headers['X-RateLimit-Limit'] = String(perMinute);
  headers['X-RateLimit-Remaining'] = String(left);
  headers['X-RateLimit-Reset'] = String(resetSeconds);
}
