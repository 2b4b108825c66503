/** Limits on guessing passwords: which attempts count against which user or address, and what others can still do. Weak passwords are refused. */
import { expect } from 'chai';
import { createAccountLimits } from '../../../server/account/account-limits.ts';
import { createLimiter } from '../../../server/limit/limiter.ts';
import { openAccount, signInAccount } from '../../support/account.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useService } from '../../support/service.ts';

const current_password = 'correct horse';
const new_password = 'battery staple 9';

describe('sign-in attempts', () => {
  const service = useService({ config: { trustProxy: true } });

  const attempt = (email: string, { password = 'wrong', from = '203.0.113.7' } = {}) =>
    openAccount(service.url).call('session.signIn', { email, password }, { 'X-Forwarded-For': from });
  const expectFailures = async (email: string, count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => attempt(email)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(count).fill(401));
  };

  it('429: are refused for an account after ten failures, known or not, even with the right password, and for an address after thirty', async () => {
    const user = await service.addUser();
    const account = await signInAccount(service.url, user);
    for (const email of [user.email, 'nobody@example.com']) {
      await expectFailures(email, 10);
      const refused = await attempt(email, { password: current_password, from: '203.0.113.8' });
      expect(refused.status).to.equal(429);
      expect(refused.body.error.message).to.equal('Too many failed attempts; try again in 15 min');
      expect(Number(refused.headers.get('Retry-After'))).to.be.within(880, 901);
      expect(refused.headers.getSetCookie()).to.deep.equal([]);
    }
    const [entry] = await service.models.auditEntries.list({ userId: user._id, limit: 1 });
    expect(entry).to.include({ operation: 'session.signIn', status: 429, code: 'rate_limited' });
    await expectFailures('another@example.com', 5);
    await expectFailures('one.more@example.com', 5);
    expect((await attempt('one.more@example.com')).status).to.equal(429);
    expect((await attempt('one.more@example.com', { from: '203.0.113.9' })).status).to.equal(401);
    await account.api.session.changePassword.mutate({ current_password, new_password });
  });

  it('429: do not count against the address when the account is locked already, so others can sign in from there', async () => {
    const { email } = await service.addUser();
    const from = '203.0.113.77';
    for (let count = 0; count < 40; count += 1) {
      const { status } = await attempt('locked@example.com', { from });
      expect(status).to.equal(count < 10 ? 401 : 429);
    }
    expect((await attempt(email, { from, password: current_password })).status).to.equal(200);
  });

  it('count from zero again after a success', async () => {
    const { email } = await service.addUser();
    const statusOf = async (password: string) => (await attempt(email, { password, from: '::1' })).status;
    for (let count = 0; count < 9; count += 1) expect(await statusOf('wrong')).to.equal(401);
    expect(await statusOf(current_password)).to.equal(200);
    for (let count = 0; count < 2; count += 1) expect(await statusOf('wrong')).to.equal(401);
  });
});

describe('sign-ins from one network', () => {
  let fail: (address: string, times: number) => Promise<void>;

  beforeEach(() => {
    const limits = createAccountLimits(createLimiter({ clock: Date.now, shared: null }), null);
    let users = 0;
    fail = async (address, times) => {
      for (let count = 0; count < times; count += 1) {
        users += 1;
        await limits.signIn({ email: `user${users}@example.com`, address }).count();
      }
    };
  });

  const expectRefused = async (address: string) =>
    expect(await failureOf(fail(address, 1))).to.have.property('apiCode', 'rate_limited');

  it('are refused after thirty failures in an IPv6 /64, and allowed in the next /64', async () => {
    await fail('2001:db8:1:2::1', 15);
    await fail('2001:db8:1:2:aaaa::1', 15);
    await expectRefused('2001:db8:1:2:bbbb::1');
    await fail('2001:db8:1:3::1', 1);
  });

  it('are refused after 120 failures in an IPv6 /48, and allowed in the next /48', async () => {
    for (let network = 1; network <= 5; network += 1) await fail(`2001:db8:1:${network}::1`, 24);
    await expectRefused('2001:db8:1:6::1');
    await fail('2001:db8:2:1::1', 1);
  });
});

describe('password changes', () => {
  const service = useService();

  const signIn = async () => {
    const account = await signInAccount(service.url, await service.addUser());
    return (passwords: object) =>
      account.call('session.changePassword', { current_password, new_password, ...passwords });
  };

  it('429: are refused after ten failures of a signed-in user, but not for other users', async () => {
    const change = await signIn();
    for (let count = 0; count < 10; count += 1) {
      const { status, body } = await change({ current_password: 'guess', new_password: 'passwordpassword' });
      expect([status, body.error.message]).to.deep.equal([400, 'current_password is not your password']);
    }
    expect((await change({})).status).to.equal(429);
    const changeOther = await signIn();
    expect((await changeOther({})).status).to.equal(200);
  });

  it('429: are refused after ten new passwords in a quarter of an hour, weak or strong, because rating them takes CPU', async () => {
    const change = await signIn();
    for (const weak of [
      ...['password1234', 'Password123!', '123456789012', 'qwertyuiop[]', 'aaaaaaaaaaaa'],
      ...['letmeinletmein', 'passwordpassword'],
    ]) {
      const { status, body } = await change({ new_password: weak });
      const message = 'new_password is too common or too easy to guess';
      expect([weak, status, body.error.message]).to.deep.equal([weak, 400, message]);
    }
    let current = current_password;
    for (const next of ['a', 'b', 'c'].map((letter) => `battery staple ${letter}`)) {
      expect((await change({ current_password: current, new_password: next })).status).to.equal(200);
      current = next;
    }
    expect((await change({ current_password: current })).status).to.equal(429);
  });
});
