/** A panel user, and with it its servers, belongs to one user: no request and no look-up gives it to another. */
import { expect } from 'chai';
import { panelServer } from '../../../server/panel/demo/attributes.ts';
import { expectError } from '../../support/expect-error.ts';
import { startTestService } from '../../support/service.ts';
import { useAdmin } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

describe('panel_user_id', () => {
  const service = useAdmin({ rateLimitPerMinute: 1000 });
  const other = useStarted(async () => {
    const started = await startTestService({ databaseUri: service.databaseUri });
    return { ...started, stop: started.leave };
  });

  beforeEach(async () => {
    const others = { _id: { $ne: service.user._id } };
    await service.connection.collection<{ _id: number }>('users').deleteMany(others);
    service.panel.users.length = 0;
  });

  const put = (id: string, body: object, at: Pick<typeof service, 'call'> = service) =>
    at.call('PUT', `/admin/users/${id}`, {
      key: service.key,
      body: { email: `${id}@example.com`, ...body },
    });
  const panelUserOf = async (id: string) =>
    (await service.models.users.findByExternalId(id))?.panelUserId ?? null;
  const message = 'panel_user_id belongs to another user';

  it("PUT, 409 conflict: another user's, at the creation and later, and nothing else of the request is done", async () => {
    await put('one', { panel_user_id: 7 });
    expectError(await put('two', { panel_user_id: 7 }), 'conflict', message);
    expect(await service.models.users.findByExternalId('two')).to.equal(null);
    await put('two', { panel_user_id: 8 });
    expectError(await put('two', { panel_user_id: 7, nickname: 'two' }), 'conflict', message);
    const two = await service.models.users.findByExternalId('two');
    expect(two).to.include({ panelUserId: 8, nickname: null });
  });

  for (const role of ['isAdmin', 'isSupport'] as const)
    it(`PUT, 409 conflict: that of a user with ${role}`, async () => {
      await service.addUser({ email: 'staff@example.com', panelUserId: 7, [role]: true });
      expectError(await put('thief', { panel_user_id: 7 }), 'conflict', message);
    });

  it('PUT, 200: the same again, and one that another user has given up', async () => {
    await put('one', { panel_user_id: 7 });
    expect((await put('one', { panel_user_id: 7 })).status).to.equal(200);
    expect((await put('one', { panel_user_id: null })).status).to.equal(200);
    expect((await put('two', { panel_user_id: 7 })).body.user.panel_user_id).to.equal(7);
  });

  it('PUT: is given to one of several that ask at once in two processes, and 409 conflict to the others', async () => {
    const ids = ['one', 'two', 'three', 'four', 'five', 'six'];
    const puts = ids.map((id, index) => put(id, { panel_user_id: 7 }, index % 2 ? service : other));
    const statuses = (await Promise.all(puts)).map(({ status }) => status);
    expect(statuses.sort()).to.deep.equal([201, 409, 409, 409, 409, 409]);
  });

  it('is not found by look-up where another user or staff has it, whose servers stay theirs alone', async () => {
    await service.addUser({ email: 'staff@example.com', panelUserId: 7, isAdmin: true });
    service.panel.servers.set(7, [panelServer({ id: 1, identifier: 'staffs01' })]);
    service.panel.users.push({ id: 7, external_id: 'thief', email: 'staff@panel.example' });
    expect((await put('thief', {})).body.user.panel_user_id).to.equal(null);
    const thief = await service.models.users.findByExternalId('thief');
    if (!thief) throw new Error('the user was not created');
    const { secret: key } = await service.addKey({ user: thief });
    expect((await service.call('GET', '/servers', { key })).body.servers).to.deep.equal([]);
    expect(await panelUserOf('thief')).to.equal(null);
  });

  it('is found by look-up for one of two users, whoever asks first', async () => {
    service.panel.users.push({ id: 7, external_id: 'left', email: 'right@example.com' });
    await Promise.all([put('left', {}), put('right', {})]);
    expect([await panelUserOf('left'), await panelUserOf('right')]).to.have.members([7, null]);
  });
});
