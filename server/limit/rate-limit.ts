/**
 * Counts each request at its cost and refuses it over a limit: calls per key; protocol messages, pages and the account
 * page per user. A batch counts as all its calls, or as none if they do not fit.
 */
import type { Cost, Headers } from '../../bridge/protocol.ts';
import type { Caller } from '../../routers/caller.ts';
import { type ApiError, rateLimited } from '../../routers/errors.ts';
import type { CallLimit, LimitedKey } from '../../routers/ports.ts';
import type { Count, Limiter, Window } from './limiter.ts';

const seconds = 60;

/** A user's MCP messages besides tool calls. */
export const messageWindow: Window = { name: 'messages', seconds, max: 600 };

/** Pages, descriptions and types that a user loads with a key; far more than a person or a build needs. */
export const uncountedRequestWindow: Window = { name: 'free-requests', seconds, max: 240 };

/** Requests of a signed-in user to the account page; far more than a person makes. */
export const sessionRequestWindow: Window = { name: 'session-requests', seconds, max: 240 };

interface RateLimitOptions {
  limiter: Limiter;
  rateLimitPerMinute: number;
}

interface RateLimitResult {
  headers: Headers;
  refusal: ApiError | null;
}

const uncounted: RateLimitResult = { headers: {}, refusal: null };

export function createRateLimit({ limiter, rateLimitPerMinute }: RateLimitOptions) {
  const callWindow: Window = { name: 'calls', seconds, max: rateLimitPerMinute };
  const consume = async (window: Window, key: string | number, count: number): Promise<RateLimitResult> => {
    const counted = await limiter.consume(window, String(key), count);
    return {
      headers: window === uncountedRequestWindow ? uncounted.headers : headersOf(counted, window.max),
      refusal: counted.fits ? null : rateLimited(counted.secondsLeft),
    };
  };
  const consumeCalls = (caller: Caller, count: number): Promise<RateLimitResult> =>
    consume(caller.kind === 'key' ? windowOf(callWindow, caller.key) : callWindow, caller.keyId, count);
  const consumeMessages = async (caller: Caller, cost: Cost): Promise<RateLimitResult> => {
    const consumed = await consume(messageWindow, caller.userId, cost.messages);
    return consumed.refusal || cost.calls === 0 ? consumed : consumeCalls(caller, cost.calls);
  };
  return {
    /** The address limit has already counted the requests of visitors. */
    consume(caller: Caller, cost: Cost): RateLimitResult | Promise<RateLimitResult> {
      if (caller.kind === 'visitor') return uncounted;
      if (caller.kind === 'session') return consume(sessionRequestWindow, caller.userId, cost.calls || 1);
      if (cost.messages > 0) return consumeMessages(caller, cost);
      return cost.calls > 0
        ? consumeCalls(caller, cost.calls)
        : consume(uncountedRequestWindow, caller.userId, 1);
    },
    callLimit: createCallLimit(limiter, callWindow),
  };
}

const windowOf = (window: Window, { callsPerMinute }: Pick<LimitedKey, 'callsPerMinute'>) =>
  callsPerMinute ? { ...window, max: callsPerMinute } : window;

export type RateLimit = ReturnType<typeof createRateLimit>;

const headersOf = ({ left, resetSeconds }: Count, max: number): Headers => ({
  'X-RateLimit-Limit': String(max),
  'X-RateLimit-Remaining': String(left),
  'X-RateLimit-Reset': String(resetSeconds),
});

function createCallLimit(limiter: Limiter, window: Window): CallLimit {
  const leftOf = async ({ _id, callsPerMinute }: LimitedKey) =>
    (await limiter.consume(windowOf(window, { callsPerMinute }), _id, 0)).left;
  const spentOf = async (key: LimitedKey) => windowOf(window, key).max - (await leftOf(key));
  return {
    perMinute: window.max,
    callsLeft: (_id, callsPerMinute) => leftOf({ _id, callsPerMinute }),
    inherit: async (ended, key) => {
      const own = windowOf(window, key);
      const spent = Math.max(0, ...(await Promise.all(ended.map(spentOf))));
      if (spent > 0) await limiter.consume(own, key._id, Math.min(spent, own.max));
    },
  };
}
