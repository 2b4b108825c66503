/** Signing in and out: what a cookie looks like, when a session ends, and what somebody learns who tries passwords. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount, signedIn } from '../../support/account.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const hourMs = 60 * 60 * 1000;

describe('signing in', () => {
  let service: TestService;
  let user: UserRecord;

  beforeEach(async () => {
    service = await startTestService();
    user = await service.addUser({ email: 'ann@example.com', password: 'correct horse' });
  });
  afterEach(() => service.stop());

  const trySignIn = (email: string, password: string, headers: Record<string, string> = {}) =>
    openAccount(service.url).call('session.signIn', { email, password }, headers);
  const whoIs = async (account: ReturnType<typeof openAccount>) =>
    (await account.api.session.current.query()).user?.email ?? null;

  it('gives a cookie that scripts and other sites cannot use', async () => {
    const answer = await trySignIn('ann@example.com', 'correct horse');
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).to.match(/^gamehost_session=[\w-]{43}; path=\/; expires=[^;]+; samesite=lax; httponly$/);
  });

  for (const [where, config, headers] of [
    ['PUBLIC_URL is https', { publicUrl: 'https://games.example' }, {}],
    ['a trusted proxy says https', { trustProxy: true }, { 'X-Forwarded-Proto': 'https' }],
  ] as const)
    it(`gives a Secure cookie with the __Host- prefix where ${where}`, async () => {
      const behindTls = await startTestService({ config });
      await behindTls.addUser({ email: 'ann@example.com', password: 'correct horse' });
      const account = openAccount(behindTls.url);
      const request = { email: 'ann@example.com', password: 'correct horse' };
      const [cookie = ''] = (await account.call('session.signIn', request, headers)).headers.getSetCookie();
      expect(cookie).to.match(/^__Host-gamehost_session=[\w-]{43}; path=\/; .*; secure; httponly$/);
      const current = await account.call('session.current', undefined, headers);
      expect(current.body.result.data.user.email).to.equal('ann@example.com');
      await behindTls.stop();
    });

  it('takes the address in any case', async () => {
    expect(await whoIs(await signedIn(service.url, { email: ' Ann@Example.COM ' }))).to.equal(user.email);
  });

  it('answers a wrong password and an unknown address with the same words', async () => {
    const answers = [
      await trySignIn('ann@example.com', 'wrong'),
      await trySignIn('nobody@example.com', 'correct horse'),
    ];
    const bodies = answers.map(({ body }) => body);
    for (const body of bodies) body.error.data.requestId = '';
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 401]);
    expect(bodies[0]).to.deep.equal(bodies[1]);
    expect(bodies[0].error.message).to.equal('The e-mail address or the password is wrong');
  });

  it('takes as long for an unknown address as for a wrong password', async () => {
    const medianMs = async (emailOf: (index: number) => string) => {
      const times: number[] = [];
      for (let index = 0; index < 7; index += 1) {
        const start = performance.now();
        await trySignIn(emailOf(index), 'wrong');
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[3] ?? 0;
    };
    await trySignIn('warm@example.com', 'up');
    const known = await medianMs(() => 'ann@example.com');
    const unknown = await medianMs((index) => `nobody${index}@example.com`);
    expect(unknown / known).to.be.within(1 / 3, 3);
  });

  for (const [whose, email] of [
    ['an account', 'ann@example.com'],
    ['an unknown address', 'nobody@example.com'],
  ] as const)
    it(`429 rate_limited: ten failures at ${whose}, after which not even the right password is looked at`, async () => {
      const tries = Array.from({ length: 10 }, () => trySignIn(email, 'wrong'));
      expect((await Promise.all(tries)).map(({ status }) => status)).to.deep.equal(Array(10).fill(401));
      const refused = await trySignIn(email, 'correct horse');
      expect(refused.status).to.equal(429);
      expect(refused.body.error.message).to.equal('Too many failed tries; wait 15 min');
      expect(Number(refused.headers.get('Retry-After'))).to.be.within(880, 900);
      expect(refused.headers.getSetCookie()).to.deep.equal([]);
    });

  it('429 rate_limited: thirty failures from one address, whatever the account, and other addresses go on', async () => {
    const proxied = await startTestService({ config: { trustProxy: true } });
    const tryFrom = (address: string, email: string) =>
      openAccount(proxied.url)
        .call('session.signIn', { email, password: 'x' }, { 'X-Forwarded-For': address })
        .then(({ status }) => status);
    for (let index = 0; index < 30; index += 1)
      expect(await tryFrom('203.0.113.7', `user${index}@example.com`)).to.equal(401);
    expect(await tryFrom('203.0.113.7', 'another@example.com')).to.equal(429);
    expect(await tryFrom('203.0.113.8', 'another@example.com')).to.equal(401);
    await proxied.stop();
  });

  it('is not slowed down by successes', async () => {
    for (let round = 0; round < 12; round += 1) {
      expect((await trySignIn('ann@example.com', 'wrong')).status).to.equal(401);
      expect((await trySignIn('ann@example.com', 'correct horse')).status).to.equal(200);
    }
  });

  it('opens a session of its own each time, and ends the one that was there', async () => {
    const account = await signedIn(service.url, user);
    const before = new Map(account.cookies);
    await account.api.session.signIn.mutate({ email: user.email, password: 'correct horse' });
    expect(account.cookies).not.to.deep.equal(before);
    const old = openAccount(service.url);
    for (const [name, value] of before) old.cookies.set(name, value);
    expect(await whoIs(old)).to.equal(null);
    expect(await whoIs(account)).to.equal(user.email);
  });

  it('does not take a token that the browser made up', async () => {
    const account = openAccount(service.url);
    account.cookies.set('gamehost_session', 'A'.repeat(43));
    expect(await whoIs(account)).to.equal(null);
    await account.api.session.signIn.mutate({ email: user.email, password: 'correct horse' });
    expect(account.cookies.get('gamehost_session')).not.to.equal('A'.repeat(43));
  });

  it('ends at sign-out, in the browser and in the service', async () => {
    const account = await signedIn(service.url, user);
    const stolen = openAccount(service.url);
    for (const [name, value] of account.cookies) stolen.cookies.set(name, value);
    await account.api.session.signOut.mutate();
    expect(account.cookies.size).to.equal(0);
    expect(await whoIs(stolen)).to.equal(null);
  });

  it('ends after two hours unused', async () => {
    const account = await signedIn(service.url, user);
    service.clock.advance(2 * hourMs - 60_000);
    expect(await whoIs(account)).to.equal(user.email);
    service.clock.advance(2 * hourMs);
    expect(await whoIs(account)).to.equal(null);
  });

  describe('with a new password', () => {
    const change = { current_password: 'correct horse', new_password: 'battery staple 9' };

    it('ends every other session and keeps the one that changed it, under another token', async () => {
      const [account, other] = [await signedIn(service.url, user), await signedIn(service.url, user)];
      const before = new Map(account.cookies);
      await account.api.session.changePassword.mutate(change);
      expect(await whoIs(other)).to.equal(null);
      expect(await whoIs(account)).to.equal(user.email);
      expect(account.cookies).not.to.deep.equal(before);
      expect((await trySignIn(user.email, 'correct horse')).status).to.equal(401);
      expect((await trySignIn(user.email, 'battery staple 9')).status).to.equal(200);
    });

    it('leaves keys as they are', async () => {
      const { secret } = await service.addKey({ user });
      await (await signedIn(service.url, user)).api.session.changePassword.mutate(change);
      expect((await service.call('GET', '/me', { key: secret })).status).to.equal(200);
    });

    it('400 bad_request: without the present one, and tries are counted as at sign-in', async () => {
      const account = await signedIn(service.url, user);
      const wrong = { ...change, current_password: 'guess' };
      for (let round = 0; round < 10; round += 1)
        expect((await account.call('session.changePassword', wrong)).status).to.equal(400);
      expect((await account.call('session.changePassword', change)).status).to.equal(429);
    });

    it('400 bad_request: of less than twelve characters', async () => {
      const account = await signedIn(service.url, user);
      const answer = await account.call('session.changePassword', { ...change, new_password: 'short' });
      expect(answer.body.error.message).to.equal('new_password must be at least 12 characters');
    });
  });
});
