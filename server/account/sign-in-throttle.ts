/** Counts failed tries at passwords, for each account and for each address they come from, with rate-limiter-flexible. */
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible';
import { tooManyTries } from '../../routers/errors.ts';
import type { SignInThrottle } from '../../routers/ports.ts';
import type { SharedRedis } from '../redis.ts';
import { networkOf } from './network-of.ts';

/** Failures in a quarter of an hour. An account has fewer: its password is what must not be guessed. */
const failuresMax = { account: 10, address: 30 };
const windowSeconds = 15 * 60;

/** An answer of Redis that takes longer is not waited for. */
const patienceMs = 100;

/** @param shared where processes count together; while it is away, and without it, each counts for itself */
export function createSignInThrottle(shared: SharedRedis | null = null): SignInThrottle {
  const accounts = createLimiter('account', shared);
  const addresses = createLimiter('address', shared);
  return {
    // Counted before the password is looked at, so that tries sent all at once are counted too.
    async count({ email, address }) {
      await consume(addresses, networkOf(address));
      await consume(accounts, email);
    },
    async forgive({ email, address }) {
      await Promise.all([addresses.reward(networkOf(address)), accounts.delete(email)]);
    },
  };
}

function createLimiter(of: keyof typeof failuresMax, shared: SharedRedis | null): RateLimiterAbstract {
  const options = { keyPrefix: `sign-in:${of}`, points: failuresMax[of], duration: windowSeconds };
  const own = new RateLimiterMemory(options);
  if (!shared) return own;
  const common = new RateLimiterRedis({ ...options, storeClient: shared.redis, rejectIfRedisNotReady: true });
  // Insured here and not inside: what was given up waiting for may fail later, and would count once more.
  const insured = { limiter: common, timeoutMs: patienceMs, insuranceLimiter: own };
  return new RLWrapperTimeouts(insured);
}

async function consume(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw tooManyTries(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
  }
}
