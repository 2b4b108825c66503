/** Limits on failed sign-ins by network, as attempts are counted before any password is hashed. */
import { expect } from 'chai';
import { createAccountLimits } from '../../../server/account/account-limits.ts';
import { createLimiter } from '../../../server/limit/limiter.ts';
import { failureOf } from '../../support/failure-of.ts';

describe('failed sign-ins of a network', () => {
  let limits: ReturnType<typeof createAccountLimits>;
  let users: number;

  beforeEach(() => {
    limits = createAccountLimits(createLimiter({ clock: Date.now, shared: null }));
    users = 0;
  });

  const fail = async (address: string, times: number) => {
    for (let count = 0; count < times; count += 1) {
      users += 1;
      await limits.signIn({ email: `user${users}@example.com`, address }).count();
    }
  };
  const expectRefused = async (address: string) =>
    expect(await failureOf(fail(address, 1))).to.have.property('apiCode', 'rate_limited');

  it('are refused after thirty in an IPv6 /64, and allowed in the next /64', async () => {
    await fail('2001:db8:1:2::1', 15);
    await fail('2001:db8:1:2:aaaa::1', 15);
    await expectRefused('2001:db8:1:2:bbbb::1');
    await fail('2001:db8:1:3::1', 1);
  });

  it('are refused after 120 in an IPv6 /48, and allowed in the next /48', async () => {
    for (let network = 1; network <= 5; network += 1) await fail(`2001:db8:1:${network}::1`, 24);
    await expectRefused('2001:db8:1:6::1');
    await fail('2001:db8:2:1::1', 1);
  });
});
