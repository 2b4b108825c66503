/** Bounds what users and visitors may attempt on the account page. */
import { availableParallelism } from 'node:os';
import { daySeconds, hourSeconds, minuteSeconds } from '../../models/support/durations.ts';
import { Queue } from '../../models/support/queue.ts';
import {
  overloaded,
  rateLimited,
  tooManyFailures,
  tooManyMailedLinks,
  tooManyNewKeys,
  tooManyNewTickets,
} from '../../routers/errors.ts';
import type { AccountLimits, CountedAttempt, PasswordAttempt } from '../../routers/ports.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import { networkOf } from '../limit/owner.ts';

const createWindow = (name: string, max: number, seconds = 15 * minuteSeconds): Window => ({
  name,
  max,
  seconds,
});

/**
 * Failed sign-ins. An account gets fewer than an address, because guesses at it may come from many addresses. An IPv6
 * site (a /48), which may be an office, gets more, but not as many as its 65,536 networks would.
 */
export const failures = {
  account: createWindow('sign-in:account', 10),
  address: createWindow('sign-in:address', 30),
  site: createWindow('sign-in:site', 120),
  user: createWindow('password-change:user', 10),
  /** Contract 5. */
  factor: createWindow('second-factor:user', 5),
};

/** Contract 4: each sends a mail to an address that any visitor may type. */
export const mailedLinks = {
  account: createWindow('mailed-link:account', 3),
  network: createWindow('mailed-link:network', 20),
  site: createWindow('mailed-link:site', 80),
};

export const newKeys = [
  createWindow('new-keys:minute', 10, minuteSeconds),
  createWindow('new-keys:hour', 60, 60 * minuteSeconds),
];

export const leakReports: Window = { name: 'leak-reports', max: 60, seconds: hourSeconds };

/** @param ticketsPerDay tickets that a user may open in 24 hours; null: unlimited */
export function createAccountLimits(limiter: Limiter, ticketsPerDay: number | null): AccountLimits {
  const ofTickets =
    ticketsPerDay === null ? [] : [createWindow('new-tickets:day', ticketsPerDay, daySeconds)];
  const attempt = createAttempts(limiter);
  return {
    signIn: ({ email, address }) => {
      const ofAccount = attempt(failures.account, email);
      const ofNetworks = combineAttempts([
        attempt(failures.address, networkOf(address)),
        attempt(failures.site, networkOf(address, 48)),
      ]);
      return {
        // The account first: if it is locked, nothing counts against others who share the address.
        ...combineAttempts([ofAccount, ofNetworks]),
        // The networks keep the failures that they caused at other accounts.
        succeed: async () => void (await Promise.all([ofAccount.succeed(), ofNetworks.refund()])),
      };
    },
    passwordChange: (userId) => attempt(failures.user, String(userId)),
    secondFactor: (userId) => attempt(failures.factor, String(userId)),
    mailedLink: ({ email, address }) =>
      combineAttempts([
        attempt(mailedLinks.account, email, tooManyMailedLinks),
        attempt(mailedLinks.network, networkOf(address), tooManyMailedLinks),
        attempt(mailedLinks.site, networkOf(address, 48), tooManyMailedLinks),
      ]),
    invitation: (email) => attempt(mailedLinks.account, email, tooManyMailedLinks),
    newKey: (userId) =>
      combineAttempts(newKeys.map((window) => attempt(window, String(userId), tooManyNewKeys))),
    newTicket: (userId) =>
      combineAttempts(ofTickets.map((window) => attempt(window, String(userId), tooManyNewTickets))),
    async countLeakReport(address) {
      const { fits, secondsLeft } = await limiter.consume(leakReports, networkOf(address), 1);
      if (!fits) throw rateLimited(secondsLeft);
    },
    ...createPasswordQueue(),
  };
}

const createAttempts =
  (limiter: Limiter) =>
  (window: Window, key: string, tooMany = tooManyFailures): PasswordAttempt => ({
    async count() {
      const { fits, secondsLeft } = await limiter.consume(window, key, 1);
      if (!fits) throw tooMany(secondsLeft);
    },
    refund: async () => void (await limiter.consume(window, key, -1)),
    succeed: async () => void (await limiter.consume(window, key, -window.max)),
  });

/** Counts in all of them, or in none if one refuses. */
function combineAttempts(attempts: CountedAttempt[]): CountedAttempt {
  const refundAll = async (counted: CountedAttempt[]) => {
    for (const attempt of counted) await attempt.refund();
  };
  return {
    async count() {
      for (const [index, attempt] of attempts.entries())
        await attempt.count().catch(async (refusal) => {
          await refundAll(attempts.slice(0, index));
          throw refusal;
        });
    },
    refund: () => refundAll(attempts),
  };
}

/** Bounds how long the last in a full queue waits. */
export const queuedPerThread = 16;

/**
 * Hashes a few passwords at a time, keeps a short queue, and refuses the rest: a hash takes much CPU and memory on
 * purpose.
 */
function createPasswordQueue(): Pick<AccountLimits, 'requireHashingCapacity' | 'hashPassword'> {
  // Hashing runs on libuv's pool, which has four threads. One core stays free for everything else.
  const threads = Math.max(1, Math.min(4, availableParallelism() - 1));
  const waitingMax = threads * queuedPerThread;
  const queue = new Queue({ runningMax: threads, waitingMax, createError: overloaded });
  return {
    requireHashingCapacity: () => queue.requireCapacity(),
    hashPassword: (hash) => queue.run(hash),
  };
}
