/** A key that manages users cannot change an administrator, and a sign-in link cannot make one. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { openAccount } from '../../support/account.ts';
import { expectError } from '../../support/expect-error.ts';
import { type Answer, useService } from '../../support/service.ts';

describe('administrators', () => {
  const service = useService();
  let billing: string;
  let dana: UserRecord;

  before(async () => {
    const owner = await service.addUser({ isAdmin: true });
    ({ secret: billing } = await service.addKey({ user: owner, scopes: ['admin:users'] }));
  });
  beforeEach(async () => {
    await service.connection.collection('users').deleteMany({ externalId: 'dana' });
    dana = await service.addUser({ email: 'dana@example.com', externalId: 'dana', isAdmin: true });
  });

  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/admin/users/dana${path}`, { key: billing, body });
  const put = (body: object) => call('PUT', '', body);
  const createLink = () => call('POST', '/sign-in-link');
  const remove = () => call('DELETE', '');
  const setAdmin = (isAdmin: boolean) => service.models.users.change('dana@example.com', { isAdmin });
  const refusalOf = ({ status, body }: Answer) => [status, body.error.message];
  const staff = 'Administrators and support staff';
  const only = 'on the command line only';

  /** A session opened by a link, whose user became an administrator afterwards. */
  async function administratorByLink() {
    await setAdmin(false);
    const token = new URL((await createLink()).body.url).hash.slice(1);
    const account = openAccount(service.url);
    await account.api.session.signInByLink.mutate({ token });
    await setAdmin(true);
    return account;
  }

  it('get no sign-in link from the API (409 conflict)', async () => {
    const message = `${staff} get sign-in links ${only}`;
    expectError(await createLink(), 'conflict', message);
    expect(await service.connection.collection('sign_in_links').countDocuments()).to.equal(0);
  });

  it('are protected from the API, and so is support staff (409 conflict)', async () => {
    await service.models.users.change('dana@example.com', { isAdmin: false, isSupport: true });
    for (const answer of [await createLink(), await put({ active: false }), await remove()])
      expect([answer.status, answer.body.error.code]).to.deep.equal([409, 'conflict']);
  });

  it('cannot be changed by the API in any field (409 conflict)', async () => {
    const before = await service.models.users.find(dana._id);
    for (const body of [
      ...[{ email: 'eve@example.com' }, { active: false }, { panel_user_id: 9 }, { first_name: 'Eve' }],
      ...[{ nickname: 'eve' }, { chat_id: '42' }, { email: 'eve@example.com', active: false, nickname: 'e' }],
    ])
      expectError(await put(body), 'conflict', `${staff} are changed ${only}`);
    expect(await service.models.users.find(dana._id)).to.deep.equal(before);
  });

  it('cannot be deleted by the API (409 conflict)', async () => {
    const message = `${staff} are deleted ${only}`;
    expectError(await remove(), 'conflict', message);
    expect(await service.models.users.find(dana._id)).to.not.equal(null);
  });

  it('accept a request that changes nothing, without a look-up at the panel (200)', async () => {
    service.panel.users.push({ id: 9, external_id: 'dana', email: 'dana@example.com' });
    const before = await service.models.users.find(dana._id);
    const { status, body } = await put({ email: 'dana@example.com', active: true, panel_user_id: null });
    expect([status, body.user.panel_user_id]).to.deep.equal([200, null]);
    expect(await service.models.users.find(dana._id)).to.deep.equal(before);
  });

  it('create no key with admin scopes in a session opened by a link, even after changing their password (400 bad_request)', async () => {
    const account = await administratorByLink();
    const passwords = { current_password: 'correct horse', new_password: 'a longer horse' };
    await account.api.session.changePassword.mutate(passwords);
    const { grantable_scopes } = await account.api.keys.list.query();
    expect(grantable_scopes.filter(({ scope }) => scope.startsWith('admin:'))).to.deep.equal([]);
    const request = { name: 'mine', scopes: ['admin:users'], expires_at: null };
    const message = 'scopes must not include admin:users: sign in with your password, not by a link';
    expect(refusalOf(await account.call('keys.create', request))).to.deep.equal([400, message]);
  });

  it('rotate no key with admin scopes in a session opened by a link (400 bad_request)', async () => {
    const { key } = await service.addKey({ user: dana, scopes: ['read:account', 'admin:users'] });
    const account = await administratorByLink();
    const rotated = await account.call('keys.rotate', { id: key._id, overlap_hours: 0 });
    const message = 'The key has scopes for administrators: sign in with your password, not by a link';
    expect(refusalOf(rotated)).to.deep.equal([400, message]);
    expect((await service.models.apiKeys.find(key._id))?.replacedBy).to.equal(null);
  });

  it('set no first password in a session opened by a link (400 bad_request)', async () => {
    await service.connection
      .collection('users')
      .updateOne({ email: dana.email }, { $set: { passwordHash: null } });
    const account = await administratorByLink();
    const changed = await account.call('session.changePassword', { new_password: 'a longer horse' });
    const message = 'Set the first password of a staff account on the command line';
    expect(refusalOf(changed)).to.deep.equal([400, message]);
  });
});
