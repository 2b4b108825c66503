/** The audit of the account page: every sign-in, sign-out and change with user and address. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount, signedIn } from '../../support/account.ts';
import { startTestService, type TestService } from '../../support/service.ts';

describe('the audit of the account page', () => {
  let service: TestService;
  let user: UserRecord;

  beforeEach(async () => {
    service = await startTestService({ config: { trustProxy: true } });
    user = await service.addUser({ email: 'ann@example.com' });
  });
  afterEach(() => service.stop());

  const from = { 'X-Forwarded-For': '203.0.113.7' };
  const trySignIn = (email: string, password: string) =>
    openAccount(service.url).call('session.signIn', { email, password }, from);
  const entries = async () =>
    (await service.models.auditEntries.list({ limit: 50 }))
      .map(({ operation, userId, keyId, status, code, address, via }) => [
        ...[operation, userId, keyId, status, code, address, via],
      ])
      .reverse();

  it('has a sign-in, with user and address, before the answer', async () => {
    await trySignIn('ann@example.com', 'correct horse');
    expect(await entries()).to.deep.equal([
      ['session.signIn', user._id, '', 200, null, '203.0.113.7', 'account'],
    ]);
  });

  it('has a refused sign-in, with the user whose account it was about', async () => {
    await trySignIn('ann@example.com', 'wrong');
    expect(await entries()).to.deep.equal([
      ['session.signIn', user._id, '', 401, 'unauthorized', '203.0.113.7', 'account'],
    ]);
  });

  it('has a sign-in to an unknown account, without user and without the e-mail address', async () => {
    await trySignIn('stranger@example.com', 'wrong');
    expect(await entries()).to.deep.equal([
      ['session.signIn', null, '', 401, 'unauthorized', '203.0.113.7', 'account'],
    ]);
    const stored = await service.connection.collection('audit_entries').find().toArray();
    expect(JSON.stringify(stored) + service.logLines.join()).not.to.include('stranger');
  });

  it('has a sign-in refused by the limit of failures', async () => {
    for (let count = 0; count < 10; count += 1) await trySignIn('ann@example.com', 'wrong');
    await trySignIn('ann@example.com', 'correct horse');
    expect((await entries()).at(-1)).to.deep.equal([
      'session.signIn',
      user._id,
      '',
      429,
      'rate_limited',
      '203.0.113.7',
      'account',
    ]);
  });

  it('has sign-out, changes of keys and changes of the password', async () => {
    const account = await signedIn(service.url, user);
    const { key } = await account.api.keys.create.mutate({ name: 'Deploy', scopes: ['read:account'] });
    const rotated = await account.api.keys.rotate.mutate({ id: key.id, overlap_hours: 0 });
    await account.api.keys.revoke.mutate({ id: rotated.key.id });
    const passwords = { current_password: 'correct horse', new_password: 'battery staple 9' };
    await account.call('session.changePassword', { ...passwords, current_password: 'wrong' });
    await account.api.session.changePassword.mutate(passwords);
    await account.api.session.signOut.mutate();
    expect(
      (await entries()).map(([operation, userId, , status]) => [operation, userId, status]),
    ).to.deep.equal([
      ['session.signIn', user._id, 200],
      ['keys.create', user._id, 200],
      ['keys.rotate', user._id, 200],
      ['keys.revoke', user._id, 200],
      ['session.changePassword', user._id, 400],
      ['session.changePassword', user._id, 200],
      ['session.signOut', user._id, 200],
    ]);
  });
});
