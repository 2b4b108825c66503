/** The audit of the account page: every sign-in, sign-out and change with user and address. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount, signedIn } from '../../support/account.ts';
import { useService } from '../../support/service.ts';

describe('the audit of the account page', () => {
  const service = useService({ config: { trustProxy: true } });
  let user: UserRecord;

  beforeEach(async () => {
    await service.connection.collection('audit_entries').deleteMany({});
    user = await service.addUser();
  });

  const entries = async () => (await service.models.auditEntries.list({ limit: 50 })).reverse();

  it('has each attempt to sign in before its answer, with address and user, and no e-mail address of an unknown account', async () => {
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

  it('has sign-out, changes of keys and changes of the password', async () => {
    const account = await signedIn(service.url, user);
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
