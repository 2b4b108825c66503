/** Counts failed tries at passwords, for each account and for each address they come from, with rate-limiter-flexible. */
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { tooManyTries } from '../../routers/errors.ts';
import type { SignInThrottle } from '../../routers/ports.ts';
import type { SharedRedis } from '../redis.ts';
import { networkOf } from './network-of.ts';

/** Failures in a quarter of an hour. An account has fewer: its password is what must not be guessed. */
const failuresMax = { account: 10, address: 30 };
const windowSeconds = 15 * 60;

type Counted = keyof typeof failuresMax;

/** @param shared where processes count together; while it is away, and without it, each counts for itself */
export function createSignInThrottle(shared: SharedRedis | null = null): SignInThrottle {
  const accounts = createFailures('account', shared);
  const addresses = createFailures('address', shared);
  return {
    // Counted before the password is looked at, so that tries sent all at once are counted too.
    async count({ email, address }) {
      await addresses.count(networkOf(address));
      await accounts.count(email);
    },
    async forgive({ email, address }) {
      await addresses.ask((limiter) => limiter.reward(networkOf(address)));
      await accounts.ask((limiter) => limiter.delete(email));
    },
  };
}

function createFailures(of: Counted, shared: SharedRedis | null) {
  const ask = createAsk(of, shared);
  return {
    ask,
    /** Throws tooManyTries() when there are too many. */
    async count(key: string): Promise<void> {
      const { consumedPoints, msBeforeNext } = await ask((limiter) => limiter.penalty(key));
      if (consumedPoints > failuresMax[of]) throw tooManyTries(Math.max(1, Math.ceil(msBeforeNext / 1000)));
    },
  };
}

/** Asks the limiter that all processes share, or the one of this process. */
type Ask = <Answer>(question: (limiter: RateLimiterAbstract) => Promise<Answer>) => Promise<Answer>;

function createAsk(of: Counted, shared: SharedRedis | null): Ask {
  const options = { keyPrefix: `sign-in:${of}`, points: failuresMax[of], duration: windowSeconds };
  const own = new RateLimiterMemory(options);
  if (!shared) return (question) => question(own);
  const common = new RateLimiterRedis({ ...options, storeClient: shared.redis });
  return (question) =>
    shared.ask(
      () => question(common),
      () => question(own),
    );
}
