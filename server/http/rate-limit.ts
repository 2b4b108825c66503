/**
 * Counts each request at its cost and refuses what exceeds the limit: by key for API callers, by user on the account page,
 * by address for everybody else. A batch counts as the calls it holds, all or none.
 * Keys are not counted by koa-ratelimit: it cannot take a batch whole, its Redis script counts two calls of one microsecond
 * as one and answers 500 when Redis is away.
 */
import koaRateLimit from 'koa-ratelimit';
import type { Cost } from '../../bridge/http/exchange.ts';
import type { Middleware, RequestState } from '../../bridge/http/request-state.ts';
import { rateLimited } from '../../routers/errors.ts';
import type { CallLimit, LimitedKey } from '../../routers/ports.ts';
import { type Count, type Counter, windowMs } from '../limit/counter.ts';
import { networkOf } from './client.ts';

/** Protocol messages of MCP beside tool calls. */
const mcpMessagesPerMinute = 600;

/** Requests of a signed-in user to the account page; far more than a person makes. */
const visitsPerMinute = 240;

export type RateLimit = ReturnType<typeof createRateLimit>;

interface RateLimitOptions {
  counter: Counter;
  /** Of a key. */
  rateLimitPerMinute: number;
  /** Of an address without a key; 0 turns it off. */
  addressLimitPerMinute: number;
}

export function createRateLimit({ counter, addressLimitPerMinute, ...options }: RateLimitOptions) {
  const { rateLimitPerMinute: callsPerMinute } = options;
  const limitAddress = createAddressLimit(addressLimitPerMinute);
  const early = createEarlyTakes(counter, callsPerMinute);
  const take = (state: RequestState, { what, id, calls, perMinute }: Take) => {
    const judge = (count: Count) => {
      writeHeaders(state.headers, count, perMinute);
      if (!count.fits) throw rateLimited(count.secondsLeft);
    };
    const taken = what === 'calls' && calls === 1 ? early.claim(state, id, perMinute) : null;
    const count = taken ?? counter.take(`${what}:${id}`, calls, perMinute);
    return count instanceof Promise ? count.then(judge) : judge(count);
  };
  const rateLimit: Middleware = async function rateLimit(ctx, next) {
    const { caller, session } = ctx.state;
    const { calls, messages } = ctx.state.exchange?.cost ?? oneCall;
    if (!caller || calls !== 1) early.giveBack(ctx.state);
    if (caller) {
      const id = caller.keyId;
      if (messages > 0)
        await take(ctx.state, { what: 'messages', id, calls: messages, perMinute: mcpMessagesPerMinute });
      const perMinute = caller.callsPerMinute ?? callsPerMinute;
      const asking = calls > 0 ? take(ctx.state, { what: 'calls', id, calls, perMinute }) : null;
      if (asking) await asking;
      return next();
    }
    if (!session) return limitAddress(ctx, next);
    const id = String(session.user._id);
    if (calls > 0) await take(ctx.state, { what: 'visits', id, calls, perMinute: visitsPerMinute });
    return next();
  };
  return { rateLimit, callLimit: createCallLimit(counter, callsPerMinute), takeEarly: early.take };
}

/** Calls of keys that are being looked up. */
function createEarlyTakes(counter: Counter, callsPerMinute: number) {
  const byRequest = new WeakMap<RequestState, EarlyTake>();
  const giveBack = (state: RequestState) => {
    const taken = byRequest.get(state);
    if (!taken) return;
    byRequest.delete(state);
    void Promise.resolve(taken.count).then(({ fits }) => fits && counter.take(taken.id, -1, taken.perMinute));
  };
  return {
    take(state: RequestState, { _id, callsPerMinute: own }: LimitedKey) {
      const [id, perMinute] = [`calls:${_id}`, own ?? callsPerMinute];
      byRequest.set(state, { id, perMinute, count: counter.take(id, 1, perMinute) });
    },
    /** The count of the call that was taken early; null where none was taken for this key and limit. */
    claim(state: RequestState, keyId: string, perMinute: number) {
      const taken = byRequest.get(state);
      if (taken?.id === `calls:${keyId}` && taken.perMinute === perMinute) return taken.count;
      giveBack(state);
      return null;
    },
    giveBack,
  };
}

interface EarlyTake {
  id: string;
  perMinute: number;
  count: Count | Promise<Count>;
}

function createCallLimit(counter: Counter, callsPerMinute: number): CallLimit {
  const takeCalls = (keyId: string, calls: number, perMinute = callsPerMinute) =>
    counter.take(`calls:${keyId}`, calls, perMinute);
  const limitOf = ({ callsPerMinute: own }: LimitedKey) => own ?? callsPerMinute;
  const spentOf = async (key: LimitedKey) => limitOf(key) - (await takeCalls(key._id, 0, limitOf(key))).left;
  return {
    perMinute: callsPerMinute,
    callsLeft: async (keyId, perMinute) => (await takeCalls(keyId, 0, perMinute)).left,
    inherit: async (ended, key) => {
      const spent = Math.max(0, ...(await Promise.all(ended.map(spentOf))));
      if (spent > 0) await takeCalls(key._id, Math.min(spent, limitOf(key)), limitOf(key));
    },
  };
}

interface Take {
  what: 'calls' | 'messages' | 'visits';
  id: string;
  calls: number;
  perMinute: number;
}

const oneCall: Cost = { calls: 1, messages: 0 };

function writeHeaders(
  headers: Record<string, string>,
  { left, resetSeconds }: Count,
  perMinute: number,
): void {
  headers['X-RateLimit-Limit'] = String(perMinute);
  headers['X-RateLimit-Remaining'] = String(left);
  headers['X-RateLimit-Reset'] = String(resetSeconds);
}

/** Limits callers without a key by their network, in this process alone. */
function createAddressLimit(max: number): Middleware {
  if (max === 0) return (_ctx, next) => next();
  const db = new AddressWindows();
  const limit = koaRateLimit({
    driver: 'memory',
    db,
    max,
    duration: windowMs,
    disableHeader: true,
    id: ({ state }) => networkOf(state['address']) || 'unknown',
    throw: true,
  });
  return async function addressLimit(ctx, next) {
    let isWithin = false;
    const enter = async () => {
      isWithin = true;
    };
    await limit(ctx as never, enter).catch(() => {}); // its types know Koa's plain context only
    if (isWithin) return next();
    ctx.remove('Retry-After');
    throw rateLimited(secondsUntil(db.resetSecondsOf(ctx.state.address)));
  };
}

const secondsUntil = (seconds: number) => Math.max(1, Math.ceil(seconds - Date.now() / 1000));

/** koa-ratelimit never deletes an entry. */
class AddressWindows extends Map<string, { reset: number }> {
  #nextSweepMs = 0;

  override set(key: string, window: { reset: number }): this {
    this.#sweep();
    return super.set(key, window);
  }

  resetSecondsOf(address: string): number {
    return this.get(`limit:${networkOf(address)}`)?.reset ?? 0;
  }

  #sweep(): void {
    const now = Date.now();
    if (now < this.#nextSweepMs && this.size < addressesMax) return;
    this.#nextSweepMs = now + windowMs;
    for (const [key, { reset }] of this)
      if (reset * 1000 <= now || this.size >= addressesMax) this.delete(key);
  }
}

/** Addresses remembered at once; beyond it the oldest start again. */
const addressesMax = 100_000;
