/** Signing in and out: the cookie, and what begins, changes and ends a session. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount, signedIn } from '../../support/account.ts';
import { startTestService, type TestService, useService } from '../../support/service.ts';

const hourMs = 60 * 60 * 1000;
const password = 'correct horse';

describe('signing in', () => {
  const service = useService({ config: { trustProxy: true } });
  let user: UserRecord;

  beforeEach(async () => {
    user = await service.addUser();
  });

  const trySignIn = (request: { email: string; password: string }) =>
    openAccount(service.url).call('session.signIn', request);
  const whoIs = async (account: ReturnType<typeof openAccount>) =>
    (await account.api.session.current.query()).user?.email ?? null;
  /** Another browser with the same cookies. */
  const copyOf = ({ cookies }: ReturnType<typeof openAccount>) => {
    const copy = openAccount(service.url);
    for (const [name, value] of cookies) copy.cookies.set(name, value);
    return copy;
  };

  it('leaves the browser signed in, where two of its tabs sign in at once, or one after the other', async () => {
    const account = openAccount(service.url);
    const signIn = () => account.api.session.signIn.mutate({ email: user.email, password });
    await Promise.all([signIn(), signIn()]);
    expect(await whoIs(account)).to.equal(user.email);
    await signIn();
    expect((await account.call('session.signIn', { email: user.email, password: 'wrong' })).status).to.equal(
      401,
    );
    expect(await whoIs(account)).to.equal(user.email);
  });

  it('sets an HttpOnly, SameSite cookie', async () => {
    const answer = await trySignIn({ email: user.email, password });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).to.match(/^gamehost_session=[\w-]{43}; path=\/; expires=[^;]+; samesite=lax; httponly$/);
  });

  async function expectSecureCookie({ url, addUser }: TestService, headers = {}): Promise<void> {
    const { email } = await addUser();
    const account = openAccount(url);
    const answer = await account.call('session.signIn', { email, password }, headers);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).to.match(/^__Host-gamehost_session=[\w-]{43}; path=\/; .*; secure; httponly$/);
    const current = await account.call('session.current', undefined, headers);
    expect(current.body.result.data.user.email).to.equal(email);
  }

  it('sets a Secure cookie with the __Host- prefix where a trusted proxy says https', () =>
    expectSecureCookie(service, { 'X-Forwarded-Proto': 'https' }));

  it('sets a Secure cookie with the __Host- prefix where PUBLIC_URL is https', async () => {
    const behindTls = await startTestService({ config: { publicUrl: 'https://games.example' } });
    await expectSecureCookie(behindTls);
    await behindTls.stop();
  });

  it('accepts the e-mail address in any case', async () => {
    const account = await signedIn(service.url, { email: ` ${user.email.toUpperCase()} ` });
    expect(await whoIs(account)).to.equal(user.email);
  });

  it("400 bad_request: refuses an e-mail address that only lower case makes a user's", async () => {
    await service.addUser({ email: 'kim@example.com' });
    const { status, body } = await trySignIn({ email: '\u212aim@example.com', password });
    const message = 'email must be an e-mail address, such as ada@example.com';
    expect([status, body.error.message]).to.deep.equal([400, message]);
  });

  it('401 unauthorized: answers a wrong password and an unknown e-mail address alike', async () => {
    const [wrong, unknown] = [
      await trySignIn({ email: user.email, password: 'wrong' }),
      await trySignIn({ email: 'nobody@example.com', password }),
    ];
    for (const { body } of [wrong, unknown]) body.error.data.requestId = '';
    expect([wrong.status, unknown.status]).to.deep.equal([401, 401]);
    expect(wrong.body).to.deep.equal(unknown.body);
    expect(wrong.body.error.message).to.equal('The e-mail address or the password is wrong');
  });

  it('opens a new session and ends the previous one of the browser', async () => {
    const account = await signedIn(service.url, user);
    const previous = copyOf(account);
    await account.api.session.signIn.mutate({ email: user.email, password });
    expect([await whoIs(previous), await whoIs(account)]).to.deep.equal([null, user.email]);
  });

  it('ignores a token the service did not issue, and replaces it', async () => {
    const account = openAccount(service.url);
    account.cookies.set('gamehost_session', 'A'.repeat(43));
    expect(await whoIs(account)).to.equal(null);
    await account.api.session.signIn.mutate({ email: user.email, password });
    expect(account.cookies.get('gamehost_session')).not.to.equal('A'.repeat(43));
  });

  it('ends at sign-out, in the browser and in the service', async () => {
    const account = await signedIn(service.url, user);
    const stolen = copyOf(account);
    await account.api.session.signOut.mutate();
    expect(account.cookies.size).to.equal(0);
    expect(await whoIs(stolen)).to.equal(null);
  });

  it('ends after two hours without use', async () => {
    const account = await signedIn(service.url, user);
    service.clock.advance(2 * hourMs - 60_000);
    expect(await whoIs(account)).to.equal(user.email);
    service.clock.advance(2 * hourMs);
    expect(await whoIs(account)).to.equal(null);
  });

  describe('changing the password', () => {
    const change = { current_password: password, new_password: 'battery staple 9' };

    it('ends all other sessions, gives this one a new token, and leaves API keys valid', async () => {
      const { secret } = await service.addKey({ user });
      const [account, other] = [await signedIn(service.url, user), await signedIn(service.url, user)];
      const before = copyOf(account);
      await account.api.session.changePassword.mutate(change);
      for (const each of [other, before]) expect(await whoIs(each)).to.equal(null);
      expect(await whoIs(account)).to.equal(user.email);
      expect((await trySignIn({ email: user.email, password })).status).to.equal(401);
      await signedIn(service.url, { email: user.email, password: change.new_password });
      expect((await service.call('GET', '/me', { key: secret })).status).to.equal(200);
    });

    it('400 bad_request: refuses fewer than twelve characters', async () => {
      const account = await signedIn(service.url, user);
      const answer = await account.call('session.changePassword', { ...change, new_password: 'short' });
      expect(answer.body.error.message).to.equal('new_password must be at least 12 characters');
    });
  });
});
