/**
 * Counts each request at its cost and refuses what exceeds a limit: by key for calls, by user for protocol messages, pages
 * and the account page. A batch counts as the calls it holds, all or none.
 */
import type { Cost, Headers } from '../../bridge/protocol.ts';
import type { AppCaller, Caller, KeyCaller } from '../../routers/caller.ts';
import { type ApiError, rateLimited } from '../../routers/errors.ts';
import type { CallLimit, LimitedKey } from '../../routers/ports.ts';
import type { Count, Limiter, Window } from './limiter.ts';

const seconds = 60;

/** Protocol messages of MCP beside tool calls, of a user. */
const messages: Window = { name: 'messages', seconds, max: 600 };

/** Pages, descriptions and types that a user loads with a key; far more than a person or a build does. */
const freeRequests: Window = { name: 'free-requests', seconds, max: 240 };

/** Requests of a signed-in user to the account page; far more than a person makes. */
const sessionRequests: Window = { name: 'session-requests', seconds, max: 240 };

interface RateLimitOptions {
  limiter: Limiter;
  /** Of a key. */
  rateLimitPerMinute: number;
}

/** What counting a request came to: headers for its caller, and the refusal, if there is one. */
interface Consumed {
  headers: Headers;
  refusal: ApiError | null;
}

const unlimited: Consumed = { headers: {}, refusal: null };

export function createRateLimit({ limiter, rateLimitPerMinute }: RateLimitOptions) {
  const calls: Window = { name: 'calls', seconds, max: rateLimitPerMinute };
  const consume = async (window: Window, key: string, count: number): Promise<Consumed> => {
    const counted = await limiter.consume(window, key, count);
    return {
      headers: window === freeRequests ? unlimited.headers : headersOf(counted, window.max),
      refusal: counted.fits ? null : rateLimited(counted.secondsLeft),
    };
  };
  const consumeCalls = (caller: KeyCaller | AppCaller, count: number): Promise<Consumed> => {
    const max = caller.kind === 'key' ? caller.key.callsPerMinute : null;
    return consume(max ? { ...calls, max } : calls, caller.keyId, count);
  };
  const consumeMessages = async (caller: KeyCaller | AppCaller, cost: Cost): Promise<Consumed> => {
    const consumed = await consume(messages, String(caller.userId), cost.messages);
    return consumed.refusal || cost.calls === 0 ? consumed : consumeCalls(caller, cost.calls);
  };
  const consumeForKey = (caller: KeyCaller | AppCaller, cost: Cost): Promise<Consumed> => {
    if (cost.messages > 0) return consumeMessages(caller, cost);
    return cost.calls > 0
      ? consumeCalls(caller, cost.calls)
      : consume(freeRequests, String(caller.userId), 1);
  };
  return {
    /** Counts a request with a credential; the address limit has counted those of visitors. */
    consume(caller: Caller, cost: Cost): Consumed | Promise<Consumed> {
      if (caller.kind === 'visitor') return unlimited;
      if (caller.kind === 'session') return consume(sessionRequests, String(caller.userId), cost.calls || 1);
      return consumeForKey(caller, cost);
    },
    callLimit: createCallLimit(limiter, calls),
  };
}

export type RateLimit = ReturnType<typeof createRateLimit>;

const headersOf = ({ left, resetSeconds }: Count, max: number): Headers => ({
  'X-RateLimit-Limit': String(max),
  'X-RateLimit-Remaining': String(left),
  'X-RateLimit-Reset': String(resetSeconds),
});

function createCallLimit(limiter: Limiter, window: Window): CallLimit {
  const windowOf = ({ callsPerMinute }: { callsPerMinute?: number | null | undefined }): Window => ({
    ...window,
    max: callsPerMinute ?? window.max,
  });
  const spentOf = async (key: LimitedKey) => {
    const own = windowOf(key);
    return own.max - (await limiter.consume(own, key._id, 0)).left;
  };
  return {
    perMinute: window.max,
    callsLeft: async (keyId, callsPerMinute) =>
      (await limiter.consume(windowOf({ callsPerMinute }), keyId, 0)).left,
    inherit: async (ended, key) => {
      const own = windowOf(key);
      const spent = Math.max(0, ...(await Promise.all(ended.map(spentOf))));
      if (spent > 0) await limiter.consume(own, key._id, Math.min(spent, own.max));
    },
  };
}
