/** Signing in and out: the cookie, how sessions begin, change and end, their list, and their entries in the audit. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount, signInAccount } from '../../support/account.ts';
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
  const copyOf = ({ cookies }: ReturnType<typeof openAccount>) => {
    const copy = openAccount(service.url);
    for (const [name, value] of cookies) copy.cookies.set(name, value);
    return copy;
  };

  it('leaves the browser signed in when two of its tabs sign in at once or in turn', async () => {
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

  it('sets a Secure cookie with the __Host- prefix when a trusted proxy reports https', () =>
    expectSecureCookie(service, { 'X-Forwarded-Proto': 'https' }));

  it('sets a Secure cookie with the __Host- prefix when PUBLIC_URL is https', async () => {
    const behindTls = await startTestService({ config: { publicUrl: 'https://games.example' } });
    await expectSecureCookie(behindTls);
    await behindTls.stop();
  });

  it('accepts the e-mail address in any case', async () => {
    const account = await signInAccount(service.url, { email: ` ${user.email.toUpperCase()} ` });
    expect(await whoIs(account)).to.equal(user.email);
  });

  it("400 bad_request: refuses an e-mail address that matches a user's only after lowercasing", async () => {
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

  it("opens a new session and ends the browser's previous one", async () => {
    const account = await signInAccount(service.url, user);
    const previous = copyOf(account);
    await account.api.session.signIn.mutate({ email: user.email, password });
    expect([await whoIs(previous), await whoIs(account)]).to.deep.equal([null, user.email]);
  });

  it('ignores a token that the service did not issue, and replaces it', async () => {
    const account = openAccount(service.url);
    account.cookies.set('gamehost_session', 'A'.repeat(43));
    expect(await whoIs(account)).to.equal(null);
    await account.api.session.signIn.mutate({ email: user.email, password });
    expect(account.cookies.get('gamehost_session')).not.to.equal('A'.repeat(43));
  });

  it('opens a session that ends at sign-out, in the browser and in the service', async () => {
    const account = await signInAccount(service.url, user);
    const stolen = copyOf(account);
    await account.api.session.signOut.mutate();
    expect(account.cookies.size).to.equal(0);
    expect(await whoIs(stolen)).to.equal(null);
  });

  it('opens a session that ends after two hours without use', async () => {
    const account = await signInAccount(service.url, user);
    service.clock.advance(2 * hourMs - 60_000);
    expect(await whoIs(account)).to.equal(user.email);
    service.clock.advance(2 * hourMs);
    expect(await whoIs(account)).to.equal(null);
  });

  describe('and changing the password later', () => {
    const change = { current_password: password, new_password: 'battery staple 9' };

    it('ends all other sessions, gives this one a new token, and leaves API keys valid', async () => {
      const { secret } = await service.addKey({ user });
      const [account, other] = [
        await signInAccount(service.url, user),
        await signInAccount(service.url, user),
      ];
      const before = copyOf(account);
      await account.api.session.changePassword.mutate(change);
      for (const each of [other, before]) expect(await whoIs(each)).to.equal(null);
      expect(await whoIs(account)).to.equal(user.email);
      expect((await trySignIn({ email: user.email, password })).status).to.equal(401);
      await signInAccount(service.url, { email: user.email, password: change.new_password });
      expect((await service.call('GET', '/me', { key: secret })).status).to.equal(200);
    });

    it('400 bad_request: refuses fewer than twelve characters', async () => {
      const account = await signInAccount(service.url, user);
      const answer = await account.call('session.changePassword', { ...change, new_password: 'short' });
      expect(answer.body.error.message).to.equal('new_password must be at least 12 characters');
    });
  });
});

describe('the session management of the account page', () => {
  const service = useService();
  let user: UserRecord;

  beforeEach(async () => {
    user = await service.addUser();
  });

  const isSignedIn = async ({ api }: ReturnType<typeof openAccount>) =>
    (await api.session.current.query()).user !== null;

  it('shows device, start and last use, and marks the current one', async () => {
    const account = openAccount(service.url);
    const request = { email: user.email, password: 'correct horse' };
    const device = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    await account.call('session.signIn', request, { 'User-Agent': device });
    const { sessions } = await account.api.sessions.list.query();
    expect(sessions.map(({ device, is_current }) => [device, is_current])).to.deep.equal([
      ['Firefox on Windows', true],
    ]);
    expect(JSON.stringify(sessions)).not.to.include([...account.cookies.values()][0]);
  });

  it("keeps a user's hundred most recently used sessions, and older ones end", async () => {
    const first = await signInAccount(service.url, user);
    service.clock.advance(60_000);
    const now = new Date(service.clock.now());
    const open = () => service.models.sessions.open({ user }, now);
    await Promise.all(Array.from({ length: 100 }, open));
    expect(await isSignedIn(first)).to.equal(false);
    const stored = service.connection.collection('sessions');
    expect(await stored.countDocuments({ userId: user._id })).to.equal(100);
  });

  it('ends one other session at once', async () => {
    const [account, other] = [await signInAccount(service.url, user), await signInAccount(service.url, user)];
    const { sessions } = await account.api.sessions.list.query();
    const id = sessions.find(({ is_current }) => !is_current)?.id ?? '';
    await account.api.sessions.end.mutate({ id });
    expect([await isSignedIn(account), await isSignedIn(other)]).to.deep.equal([true, false]);
  });

  it('ends all other sessions of the user, and none of another user', async () => {
    const otherUser = await signInAccount(service.url, await service.addUser());
    const signIn = () => signInAccount(service.url, user);
    const [account, ...others] = [await signIn(), await signIn(), await signIn()];
    await account.api.sessions.endOthers.mutate();
    expect(await Promise.all([account, otherUser, ...others].map(isSignedIn))).to.deep.equal([
      ...[true, true, false, false],
    ]);
  });
});

describe('a user without a password', () => {
  const services = {
    on: useService(),
    off: useService({ config: { hasPasswordSignIn: false } }),
  };

  async function enter(service: TestService) {
    const user = await service.models.users.add({ email: 'ann@example.com' }, new Date());
    if (!user) throw new Error('the e-mail address is taken');
    const account = openAccount(service.url);
    const { token } = await service.models.sessions.open({ user }, new Date());
    account.cookies.set('gamehost_session', token);
    const signIn = (password: string) =>
      openAccount(service.url).call('session.signIn', { email: user.email, password });
    return { account, signIn };
  }

  it('cannot sign in by any password, learns that there is none, and can set one', async () => {
    const { account, signIn } = await enter(services.on);
    expect((await signIn('correct horse')).status).to.equal(401);
    expect((await account.api.session.current.query()).asks_password).to.equal(false);
    await account.api.session.changePassword.mutate({ new_password: 'battery staple 9' });
    expect((await account.api.session.current.query()).asks_password).to.equal(true);
    expect((await signIn('battery staple 9')).status).to.equal(200);
    const again = await account.call('session.changePassword', { new_password: 'staple battery 8' });
    expect(again.status).to.equal(400);
  });

  it('cannot set or use one where PASSWORD_SIGN_IN is false', async () => {
    const { account, signIn } = await enter(services.off);
    const answers = [
      await account.call('session.changePassword', { new_password: 'battery staple 9' }),
      await signIn('correct horse'),
    ];
    for (const { status, body } of answers)
      expect([status, body.error.message]).to.deep.equal([400, 'Signing in with a password is turned off']);
  });
});

describe('the audit of the account page', () => {
  const service = useService({ config: { trustProxy: true } });
  let user: UserRecord;

  beforeEach(async () => {
    await service.connection.collection('audit_entries').deleteMany({});
    user = await service.addUser();
  });

  const entries = async () => (await service.models.auditEntries.list({ limit: 50 })).reverse();

  it('records each sign-in attempt before its response, with address and user, and no e-mail address of an unknown account', async () => {
    const unknown = 'stranger@example.com';
    for (const [email, password, userId, status, code] of [
      [user.email, 'correct horse', user._id, 200, null],
      [user.email, 'wrong', user._id, 401, 'unauthorized'],
      [unknown, 'wrong', null, 401, 'unauthorized'],
    ] as const) {
      const from = { 'X-Forwarded-For': '203.0.113.7' };
      await openAccount(service.url).call('session.signIn', { email, password }, from);
      const expected = { operation: 'session.signIn', userId, keyId: '', status, code, via: 'account' };
      expect((await entries()).at(-1)).to.include({ ...expected, address: '203.0.113.7' });
    }
    const stored = await service.connection.collection('audit_entries').find().toArray();
    expect(stored).to.have.length(3);
    expect(JSON.stringify(stored) + service.logLines.join()).not.to.include('stranger');
  });

  it('records sign-out, changes of keys and changes of the password', async () => {
    const account = await signInAccount(service.url, user);
    const { key } = await account.api.keys.create.mutate({ name: 'Deploy', scopes: ['read:account'] });
    const rotated = await account.api.keys.rotate.mutate({ id: key.id, overlap_hours: 0 });
    await account.api.keys.revoke.mutate({ id: rotated.key.id });
    const passwords = { current_password: 'correct horse', new_password: 'battery staple 9' };
    await account.call('session.changePassword', { ...passwords, current_password: 'wrong' });
    await account.api.session.changePassword.mutate(passwords);
    await account.api.session.signOut.mutate();
    const found = await entries();
    expect(found.map(({ operation, target, status }) => [operation, target, status])).to.deep.equal([
      ['session.signIn', String(user._id), 200],
      ['keys.create', key.id, 200],
      ['keys.rotate', key.id, 200],
      ['keys.revoke', rotated.key.id, 200],
      ['session.changePassword', null, 400],
      ['session.changePassword', null, 200],
      ['session.signOut', null, 200],
    ]);
    for (const entry of found) expect(entry).to.include({ userId: user._id, keyId: '', via: 'account' });
  });
});
