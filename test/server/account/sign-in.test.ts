/** Sign-in and sign-out: the cookie, the end of a session, and limits on guessing passwords. */
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

  it('sets an HttpOnly, SameSite cookie', async () => {
    const answer = await trySignIn('ann@example.com', 'correct horse');
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).to.match(/^gamehost_session=[\w-]{43}; path=\/; expires=[^;]+; samesite=lax; httponly$/);
  });

  for (const [where, config, headers] of [
    ['PUBLIC_URL is https', { publicUrl: 'https://games.example' }, {}],
    ['a trusted proxy says https', { trustProxy: true }, { 'X-Forwarded-Proto': 'https' }],
  ] as const)
    it(`sets a Secure cookie with the __Host- prefix where ${where}`, async () => {
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

  it('accepts the e-mail address in any case', async () => {
    expect(await whoIs(await signedIn(service.url, { email: ' Ann@Example.COM ' }))).to.equal(user.email);
  });

  it('answers a wrong password and an unknown e-mail address alike', async () => {
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

  it('costs as much CPU for an unknown e-mail address as for a wrong password', async () => {
    const medianCpu = async (emailOf: (index: number) => string) => {
      const costs: number[] = [];
      for (let index = 0; index < 7; index += 1) {
        const start = process.cpuUsage();
        await trySignIn(emailOf(index), 'wrong');
        costs.push(process.cpuUsage(start).user);
      }
      return costs.sort((a, b) => a - b)[3] ?? 0;
    };
    await trySignIn('warm@example.com', 'up');
    const known = await medianCpu(() => 'ann@example.com');
    const unknown = await medianCpu((index) => `nobody${index}@example.com`);
    expect(unknown / known).to.be.within(1 / 3, 3);
  });

  for (const [whose, email] of [
    ['an account', 'ann@example.com'],
    ['an unknown e-mail address', 'nobody@example.com'],
  ] as const)
    it(`refuses ${whose} with 429 after ten failures, even with the right password`, async () => {
      const tries = Array.from({ length: 10 }, () => trySignIn(email, 'wrong'));
      expect((await Promise.all(tries)).map(({ status }) => status)).to.deep.equal(Array(10).fill(401));
      const refused = await trySignIn(email, 'correct horse');
      expect(refused.status).to.equal(429);
      expect(refused.body.error.message).to.equal('Too many failed attempts; try again in 15 min');
      expect(Number(refused.headers.get('Retry-After'))).to.be.within(880, 901);
      expect(refused.headers.getSetCookie()).to.deep.equal([]);
    });

  it('refuses an address with 429 after thirty failures at any accounts, and no other address', async () => {
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

  it('resets the failures of an account on success', async () => {
    for (let round = 0; round < 12; round += 1) {
      expect((await trySignIn('ann@example.com', 'wrong')).status).to.equal(401);
      expect((await trySignIn('ann@example.com', 'correct horse')).status).to.equal(200);
    }
  });

  it('opens a new session and ends the previous one of the browser', async () => {
    const account = await signedIn(service.url, user);
    const before = new Map(account.cookies);
    await account.api.session.signIn.mutate({ email: user.email, password: 'correct horse' });
    expect(account.cookies).not.to.deep.equal(before);
    const old = openAccount(service.url);
    for (const [name, value] of before) old.cookies.set(name, value);
    expect(await whoIs(old)).to.equal(null);
    expect(await whoIs(account)).to.equal(user.email);
  });

  it('ignores a token the service did not issue', async () => {
    const account = openAccount(service.url);
    account.cookies.set('gamehost_session', 'A'.repeat(43));
    expect(await whoIs(account)).to.equal(null);
    await account.api.session.signIn.mutate({ email: user.email, password: 'correct horse' });
    expect(account.cookies.get('gamehost_session')).not.to.equal('A'.repeat(43));
  });

  it('ends the session at sign-out, in the browser and in the service', async () => {
    const account = await signedIn(service.url, user);
    const stolen = openAccount(service.url);
    for (const [name, value] of account.cookies) stolen.cookies.set(name, value);
    await account.api.session.signOut.mutate();
    expect(account.cookies.size).to.equal(0);
    expect(await whoIs(stolen)).to.equal(null);
  });

  it('ends the session after two hours without use', async () => {
    const account = await signedIn(service.url, user);
    service.clock.advance(2 * hourMs - 60_000);
    expect(await whoIs(account)).to.equal(user.email);
    service.clock.advance(2 * hourMs);
    expect(await whoIs(account)).to.equal(null);
  });

  describe('changing the password', () => {
    const change = { current_password: 'correct horse', new_password: 'battery staple 9' };

    it('ends all other sessions and gives this one a new token', async () => {
      const [account, other] = [await signedIn(service.url, user), await signedIn(service.url, user)];
      const before = new Map(account.cookies);
      await account.api.session.changePassword.mutate(change);
      expect(await whoIs(other)).to.equal(null);
      expect(await whoIs(account)).to.equal(user.email);
      expect(account.cookies).not.to.deep.equal(before);
      expect((await trySignIn(user.email, 'correct horse')).status).to.equal(401);
      expect((await trySignIn(user.email, 'battery staple 9')).status).to.equal(200);
    });

    it('leaves API keys valid', async () => {
      const { secret } = await service.addKey({ user });
      await (await signedIn(service.url, user)).api.session.changePassword.mutate(change);
      expect((await service.call('GET', '/me', { key: secret })).status).to.equal(200);
    });

    it('refuses fewer than twelve characters with 400', async () => {
      const account = await signedIn(service.url, user);
      const answer = await account.call('session.changePassword', { ...change, new_password: 'short' });
      expect(answer.body.error.message).to.equal('new_password must be at least 12 characters');
    });
  });
});
