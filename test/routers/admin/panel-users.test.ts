/** A panel user, and with it its servers, belongs to one user: no request and no look-up gives it to another. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { panelServer } from '../../support/panel/attributes.ts';
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
    service.clock.advance(60_000); // look-ups are remembered for seconds
  });

  const put = (id: string, body: object, at: Pick<typeof service, 'call'> = service) =>
    at.call('PUT', `/admin/users/${id}`, {
      key: service.key,
      body: { email: `${id}@example.com`, ...body },
    });
  const panelUserOf = async (id: string) =>
    (await service.models.users.findByExternalId(id))?.panelUserId ?? null;
  it('GET /servers, 200: one that is gone has no servers, and one warning names who is linked to it', async () => {
    const user = await service.addUser({ panelUserId: 99 });
    service.panel.servers.delete(99);
    const { secret: key } = await service.addKey({ user });
    for (let count = 0; count < 2; count += 1) {
      expect((await service.call('GET', '/servers', { key })).body.servers).to.deep.equal([]);
      service.clock.advance(60_000);
    }
    const warnings = service.logLines
      .map((line) => JSON.parse(line))
      .filter(({ panelUserId }) => panelUserId);
    expect(warnings.map(({ msg, userId }) => [msg, userId])).to.deep.equal([
      [
        `The panel has no user 99 any more: our user ${user._id}, who is linked to it, has no servers until linked to another`,
        user._id,
      ],
    ]);
  });

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

  describe('found by look-up', () => {
    /** A customer's key, of a user who was looked up by external id. */
    async function addCustomer() {
      service.panel.users.push({ id: 7, external_id: 'customer', email: 'old@panel.example' });
      service.panel.servers.clear();
      service.panel.servers.set(7, [panelServer({ identifier: 'first001' })]);
      await put('customer', {});
      return keyOf('customer');
    }
    async function keyOf(id: string) {
      const user = await service.models.users.findByExternalId(id);
      if (!user) throw new Error('the user was not created');
      return (await service.addKey({ user })).secret;
    }
    async function serversOf(key: string) {
      service.clock.advance(20_000);
      const { body } = await service.call('GET', '/servers', { key });
      return body.servers.map((server: { identifier: string }) => server.identifier);
    }
    const makeAgain = (id: number, user: object) => {
      service.panel.users.length = 0;
      service.panel.users.push({ id, external_id: 'customer', email: 'old@panel.example', ...user });
      service.panel.servers.set(id, [panelServer({ identifier: 'second02' })]);
    };

    it('is found again after the panel user was deleted and made again', async () => {
      const key = await addCustomer();
      expect(await serversOf(key)).to.deep.equal(['first001']);
      service.panel.servers.delete(7);
      makeAgain(12, {});
      expect(await serversOf(key)).to.deep.equal(['second02']);
      expect(await panelUserOf('customer')).to.equal(12);
    });

    it('is found again for a read of one server that was made since', async () => {
      const key = await addCustomer();
      await service.call('GET', '/servers/first001/resources', { key });
      service.panel.servers.delete(7);
      makeAgain(12, {});
      service.clock.advance(25_000);
      expect((await service.call('GET', '/servers/second02/resources', { key })).status).to.equal(200);
    });

    it('is nobody where the panel user is gone, and found when there is one again', async () => {
      const key = await addCustomer();
      service.panel.servers.delete(7);
      service.panel.users.length = 0;
      expect(await serversOf(key)).to.deep.equal([]);
      expect(await panelUserOf('customer')).to.equal(null);
      makeAgain(12, { external_id: null, email: 'CUSTOMER@example.com' });
      expect(await serversOf(key)).to.deep.equal(['second02']);
    });

    it("shows nobody another's servers where the panel was installed again, and the id is another's now", async () => {
      const key = await addCustomer();
      expect(await serversOf(key)).to.deep.equal(['first001']);
      service.panel.users.length = 0;
      service.panel.users.push({ id: 7, external_id: 'somebody', email: 'somebody@panel.example' });
      service.panel.servers.set(7, [panelServer({ identifier: 'theirs07' })]);
      expect(await serversOf(key)).to.deep.equal([]);
      expect(await panelUserOf('customer')).to.equal(null);
    });

    it('stays where the e-mail address changes here alone', async () => {
      service.panel.users.push({ id: 7, external_id: null, email: 'customer@example.com' });
      service.panel.servers.set(7, [panelServer({ identifier: 'first001' })]);
      await put('customer', {});
      await put('customer', { email: 'new@example.com' });
      expect(await serversOf(await keyOf('customer'))).to.deep.equal(['first001']);
    });

    for (const [what, change, shown] of [
      ['is gone', () => service.panel.servers.delete(7), []],
      [
        'is somebody else',
        () => service.panel.servers.set(7, [panelServer({ identifier: 'moved007' })]),
        ['moved007'],
      ],
    ] as const)
      it(`stays as it is where the host has set it, though the panel user ${what}`, async () => {
        const key = await addCustomer();
        await put('customer', { panel_user_id: 7 });
        makeAgain(12, {});
        change();
        expect(await serversOf(key)).to.deep.equal(shown);
        expect(await panelUserOf('customer')).to.equal(7);
      });

    it('by an e-mail address that is on the second page of those that contain it', async () => {
      for (let id = 100; id < 230; id += 1)
        service.panel.users.push({ id, external_id: null, email: `x${id}customer@example.com` });
      service.panel.users.push({ id: 7, external_id: null, email: 'Customer@example.com' });
      expect((await put('customer', {})).body.user.panel_user_id).to.equal(7);
    });

    it('by an e-mail address asks for ten pages at most', async () => {
      for (let id = 1_000; id < 2_200; id += 1)
        service.panel.users.push({ id, external_id: null, email: `x${id}customer@example.com` });
      service.panel.forget();
      expect((await put('customer', {})).body.user.panel_user_id).to.equal(null);
      const pages = service.panel.requests.filter(({ path }) => path.includes('filter'));
      expect(pages).to.have.lengthOf(10);
    });
  });

  it('is found by look-up for one of two users, whoever asks first', async () => {
    service.panel.users.push({ id: 7, external_id: 'left', email: 'right@example.com' });
    await Promise.all([put('left', {}), put('right', {})]);
    expect([await panelUserOf('left'), await panelUserOf('right')]).to.have.members([7, null]);
  });
});
