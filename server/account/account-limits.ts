/** Bounds what users and visitors may attempt on the account page. */
import { tooManyFailures, tooManyNewKeys } from '../../routers/errors.ts';
import type { AccountLimits, Attempt } from '../../routers/ports.ts';
import { networkOf } from '../http/client.ts';
import { createWindow, type Window } from '../limit/window.ts';
import type { SharedRedis } from '../redis.ts';
import { createPasswordQueue } from './password-queue.ts';

const minuteSeconds = 60;
const failureSeconds = 15 * minuteSeconds;

/**
 * Failed sign-ins. An account allows fewer than an address, as guesses at it may come from many addresses; an IPv6 site, a
 * /48, more, as it may be an office, but not those of its 65,536 networks together.
 */
const failuresMax = { account: 10, address: 30, site: 120, user: 10 };

const newKeysMax = { perMinute: 10, perHour: 60 };

/** @param shared counts for all processes; without it, and while it is away, each process counts alone */
export function createAccountLimits(shared: SharedRedis | null = null): AccountLimits {
  const windowOf = (name: string, max: number, seconds: number) =>
    createWindow({ name, max, seconds, shared });
  const accounts = windowOf('sign-in:account', failuresMax.account, failureSeconds);
  const addresses = windowOf('sign-in:address', failuresMax.address, failureSeconds);
  const sites = windowOf('sign-in:site', failuresMax.site, failureSeconds);
  const users = windowOf('password-change:user', failuresMax.user, failureSeconds);
  const newKeys = [
    windowOf('new-keys:minute', newKeysMax.perMinute, minuteSeconds),
    windowOf('new-keys:hour', newKeysMax.perHour, 60 * minuteSeconds),
  ];
  return {
    signIn: ({ email, address }) =>
      createSignInAttempt(accounts(email), [addresses(networkOf(address)), sites(networkOf(address, 48))]),
    passwordChange: (userId) => createAttempt(users(String(userId))),
    async countNewKey(userId) {
      for (const window of newKeys) {
        const { fits, secondsLeft } = await window(String(userId)).count();
        if (!fits) throw tooManyNewKeys(secondsLeft);
      }
    },
    ...createPasswordQueue(),
  };
}

/** A success clears the account's failures, but not those of its networks at other accounts. */
function createSignInAttempt(account: Window, networks: Window[]): Attempt {
  const ofAccount = createAttempt(account);
  const ofNetworks = networks.map(createAttempt);
  return {
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
  };
}

const createAttempt = (window: Window): Attempt => ({
  async count() {
    const { fits, secondsLeft } = await window.count();
    if (!fits) throw tooManyFailures(secondsLeft);
  },
  refund: window.refund,
  succeed: window.clear,
});
