/** The user's list of sessions, and users without a password. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount, signedIn } from '../../support/account.ts';
import { type TestService, useService } from '../../support/service.ts';

describe('sessions.list, sessions.end and sessions.endOthers', () => {
  const service = useService();
  let user: UserRecord;

  beforeEach(async () => {
    user = await service.addUser();
  });

  const isSignedIn = async ({ api }: ReturnType<typeof openAccount>) =>
    (await api.session.current.query()).user !== null;

  it('list device, start and last use, and mark the current one', async () => {
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

  it('are the hundred of a user that were used last: those before end', async () => {
    const first = await signedIn(service.url, user);
    service.clock.advance(60_000);
    const now = new Date(service.clock.now());
    const open = () => service.models.sessions.open({ user }, now);
    await Promise.all(Array.from({ length: 100 }, open));
    expect(await isSignedIn(first)).to.equal(false);
    const stored = service.connection.collection('sessions');
    expect(await stored.countDocuments({ userId: user._id })).to.equal(100);
  });

  it('end one other session at once', async () => {
    const [account, other] = [await signedIn(service.url, user), await signedIn(service.url, user)];
    const { sessions } = await account.api.sessions.list.query();
    const id = sessions.find(({ is_current }) => !is_current)?.id ?? '';
    await account.api.sessions.end.mutate({ id });
    expect([await isSignedIn(account), await isSignedIn(other)]).to.deep.equal([true, false]);
  });

  it('end all other sessions of the user, and none of another user', async () => {
    const otherUser = await signedIn(service.url, await service.addUser());
    const signIn = () => signedIn(service.url, user);
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

  it('cannot sign in by any password, is told that there is none, and may set one', async () => {
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
