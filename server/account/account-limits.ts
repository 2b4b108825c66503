/** Bounds what users and visitors may attempt on the account page. */

import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import {
  overloaded,
  rateLimited,
  tooManyFailures,
  tooManyNewKeys,
  tooManyNewTickets,
} from '../../routers/errors.ts';
import type { AccountLimits, Attempt } from '../../routers/ports.ts';
import { networkOf } from '../http/request.ts';
import type { Limiter, Window } from '../limit/limiter.ts';

const minuteSeconds = 60;

const failureWindow = (name: string, max: number): Window => ({
  ...{ name, max },
  seconds: 15 * minuteSeconds,
  hasRefunds: true,
});

/**
 * Failed sign-ins. An account allows fewer than an address, as guesses at it may come from many addresses; an IPv6 site, a
 * /48, more, as it may be an office, but not those of its 65,536 networks together.
 */
const failures = {
  account: failureWindow('sign-in:account', 10),
  address: failureWindow('sign-in:address', 30),
  site: failureWindow('sign-in:site', 120),
  user: failureWindow('password-change:user', 10),
};

const newKeys: Window[] = [
  { name: 'new-keys:minute', max: 10, seconds: minuteSeconds },
  { name: 'new-keys:hour', max: 60, seconds: 60 * minuteSeconds },
];

const leakReports: Window = { name: 'leak-reports', max: 60, seconds: 60 * minuteSeconds };

/** @param ticketsPerDay how many tickets a user may open in 24 hours; null: as many as it likes */
export function createAccountLimits(limiter: Limiter, ticketsPerDay: number | null): AccountLimits {
  const attempt = (window: Window, key: string): Attempt => ({
    async count() {
      const { fits, secondsLeft } = await limiter.consume(window, key, 1);
      if (!fits) throw tooManyFailures(secondsLeft);
    },
    refund: async () => void (await limiter.consume(window, key, -1)),
    succeed: async () => void (await limiter.consume(window, key, -window.max)),
  });
  return {
    signIn: ({ email, address }) =>
      createSignInAttempt(attempt(failures.account, email), [
        attempt(failures.address, networkOf(address)),
        attempt(failures.site, networkOf(address, 48)),
      ]),
    passwordChange: (userId) => attempt(failures.user, String(userId)),
    async countNewKey(userId) {
      for (const window of newKeys) {
        const { fits, secondsLeft } = await limiter.consume(window, String(userId), 1);
        if (!fits) throw tooManyNewKeys(secondsLeft);
      }
    },
    newTicket: createTicketLimit(limiter, ticketsPerDay),
    async countLeakReport(address) {
      const { fits, secondsLeft } = await limiter.consume(leakReports, networkOf(address), 1);
      if (!fits) throw rateLimited(secondsLeft);
    },
    ...createPasswordQueue(),
  };
}

function createTicketLimit(limiter: Limiter, perDay: number | null): AccountLimits['newTicket'] {
  if (perDay === null) return () => ({ count: async () => {}, refund: async () => {} });
  const window = { name: 'new-tickets:day', max: perDay, seconds: 24 * 60 * minuteSeconds, hasRefunds: true };
  return (userId) => ({
    async count() {
      const { fits, secondsLeft } = await limiter.consume(window, String(userId), 1);
      if (!fits) throw tooManyNewTickets(secondsLeft);
    },
    refund: async () => void (await limiter.consume(window, String(userId), -1)),
  });
}

/** A success clears the account's failures, but not those of its networks at other accounts. */
const createSignInAttempt = (ofAccount: Attempt, ofNetworks: Attempt[]): Attempt => ({
  async count() {
    for (const attempt of ofNetworks) await attempt.count();
    await ofAccount.count();
  },
  async refund() {
    for (const attempt of ofNetworks) await attempt.refund();
    await ofAccount.refund();
  },
  async succeed() {
    for (const attempt of ofNetworks) await attempt.refund();
    await ofAccount.succeed();
  },
});

/** The threads of libuv's pool, which hash; one core is left to everything else. */
const threadsMax = 4;
/** Bounds how long the last of a full queue waits. */
const queuedPerThread = 16;

/**
 * Hashes a few passwords at once, keeps a short queue, and refuses the rest: a hash takes much CPU and memory, on
 * purpose.
 */
function createPasswordQueue(): Pick<AccountLimits, 'requireHashingCapacity' | 'hashPassword'> {
  const threads = Math.max(1, Math.min(threadsMax, availableParallelism() - 1));
  const limit = pLimit(threads);
  const requireHashingCapacity = () => {
    if (limit.activeCount + limit.pendingCount >= threads * (1 + queuedPerThread)) throw overloaded();
  };
  return {
    requireHashingCapacity,
    async hashPassword(work) {
      requireHashingCapacity();
      return limit(work);
    },
  };
}
