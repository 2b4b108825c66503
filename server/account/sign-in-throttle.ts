/** Counts failed tries at passwords, for each account and for each address they come from, with rate-limiter-flexible. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimited } from '../../routers/errors.ts';
import type { SignInThrottle } from '../../routers/ports.ts';
import { networkOf } from './network-of.ts';

/** Failures in a quarter of an hour. An account has fewer: its password is what must not be guessed. */
const failuresMax = { account: 10, address: 30 };
const windowSeconds = 15 * 60;

export function createSignInThrottle(): SignInThrottle {
  const accounts = new RateLimiterMemory({ points: failuresMax.account, duration: windowSeconds });
  const addresses = new RateLimiterMemory({ points: failuresMax.address, duration: windowSeconds });
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

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    throw rateLimited(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
  }
}
