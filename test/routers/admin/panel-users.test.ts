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
    service.clock.advance(60_000); // Look-ups are cached for seconds.
  });

  const put = (id: string, body: object, at: Pick<typeof service, 'call'> = service) =>
    at.call('PUT', `/admin/users/${id}`, {
      key: service.key,
      body: { email: `${id}@example.com`, ...body },
    });
  const panelUserOf = async (id: string) =>
    (await service.models.users.findByExternalId(id))?.panelUserId ?? null;
  it('of a deleted panel user lists no servers and logs one warning that names the linked user (GET /servers, 200)', async () => {
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
        `The panel has no user 99 any more: our user ${user._id}, who is linked to it, has no servers until you link them to another panel user`,
        user._id,
      ],
    ]);
  });

  const message = 'panel_user_id belongs to another user';

  it("cannot be another user's, at creation or later, and a refused request changes nothing (PUT, 409 conflict)", async () => {
    await put('one', { panel_user_id: 7 });
    expectError(await put('two', { panel_user_id: 7 }), 'conflict', message);
    expect(await service.models.users.findByExternalId('two')).to.equal(null);
    await put('two', { panel_user_id: 8 });
    expectError(await put('two', { panel_user_id: 7, nickname: 'two' }), 'conflict', message);
    const two = await service.models.users.findByExternalId('two');
    expect(two).to.include({ panelUserId: 8, nickname: null });
  });

  for (const role of ['isAdmin', 'isSupport'] as const)
    it(`cannot be that of a user with ${role} (PUT, 409 conflict)`, async () => {
      await service.addUser({ email: 'staff@example.com', panelUserId: 7, [role]: true });
      expectError(await put('thief', { panel_user_id: 7 }), 'conflict', message);
    });

  it('can be set to the same value again, or to one that another user gave up (PUT, 200)', async () => {
    await put('one', { panel_user_id: 7 });
    expect((await put('one', { panel_user_id: 7 })).status).to.equal(200);
    expect((await put('one', { panel_user_id: null })).status).to.equal(200);
    expect((await put('two', { panel_user_id: 7 })).body.user.panel_user_id).to.equal(7);
  });

  it('goes to one of several requests made at once in two processes, and the others get 409 conflict (PUT)', async () => {
    const ids = ['one', 'two', 'three', 'four', 'five', 'six'];
    const puts = ids.map((id, index) => put(id, { panel_user_id: 7 }, index % 2 ? service : other));
    const statuses = (await Promise.all(puts)).map(({ status }) => status);
    expect(statuses.sort()).to.deep.equal([201, 409, 409, 409, 409, 409]);
  });

  it("is not set by a look-up that finds another user's or staff's panel user, whose servers stay private", async () => {
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

  describe('set by look-up', () => {
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

    it('is found again after the panel user was deleted and recreated', async () => {
      const key = await addCustomer();
      expect(await serversOf(key)).to.deep.equal(['first001']);
      service.panel.servers.delete(7);
      makeAgain(12, {});
      expect(await serversOf(key)).to.deep.equal(['second02']);
      expect(await panelUserOf('customer')).to.equal(12);
    });

    it('is found again when reading one server that was created since', async () => {
      const key = await addCustomer();
      await service.call('GET', '/servers/first001/resources', { key });
      service.panel.servers.delete(7);
      makeAgain(12, {});
      service.clock.advance(25_000);
      expect((await service.call('GET', '/servers/second02/resources', { key })).status).to.equal(200);
    });

    it('is null while the panel user is deleted, and found when one exists again', async () => {
      const key = await addCustomer();
      service.panel.servers.delete(7);
      service.panel.users.length = 0;
      expect(await serversOf(key)).to.deep.equal([]);
      expect(await panelUserOf('customer')).to.equal(null);
      makeAgain(12, { external_id: null, email: 'CUSTOMER@example.com' });
      expect(await serversOf(key)).to.deep.equal(['second02']);
    });

    it("never shows another user's servers when a reinstalled panel reuses the id", async () => {
      const key = await addCustomer();
      expect(await serversOf(key)).to.deep.equal(['first001']);
      service.panel.users.length = 0;
      service.panel.users.push({ id: 7, external_id: 'somebody', email: 'somebody@panel.example' });
      service.panel.servers.set(7, [panelServer({ identifier: 'theirs07' })]);
      expect(await serversOf(key)).to.deep.equal([]);
      expect(await panelUserOf('customer')).to.equal(null);
    });

    it('stays when the e-mail address changes only here', async () => {
      service.panel.users.push({ id: 7, external_id: null, email: 'customer@example.com' });
      service.panel.servers.set(7, [panelServer({ identifier: 'first001' })]);
      await put('customer', {});
      await put('customer', { email: 'new@example.com' });
      expect(await serversOf(await keyOf('customer'))).to.deep.equal(['first001']);
    });

    for (const [what, change, shown] of [
      ['is gone', () => service.panel.servers.delete(7), []],
      [
        'is someone else',
        () => service.panel.servers.set(7, [panelServer({ identifier: 'moved007' })]),
        ['moved007'],
      ],
    ] as const)
      it(`stays as the host set it, even when the panel user ${what}`, async () => {
        const key = await addCustomer();
        await put('customer', { panel_user_id: 7 });
        makeAgain(12, {});
        change();
        expect(await serversOf(key)).to.deep.equal(shown);
        expect(await panelUserOf('customer')).to.equal(7);
      });

    it('can come from the second page of a search by e-mail address', async () => {
      for (let id = 100; id < 230; id += 1)
        service.panel.users.push({ id, external_id: null, email: `x${id}customer@example.com` });
      service.panel.users.push({ id: 7, external_id: null, email: 'Customer@example.com' });
      expect((await put('customer', {})).body.user.panel_user_id).to.equal(7);
    });

    it('costs at most ten pages of a search by e-mail address', async () => {
      for (let id = 1_000; id < 2_200; id += 1)
        service.panel.users.push({ id, external_id: null, email: `x${id}customer@example.com` });
      service.panel.forget();
      expect((await put('customer', {})).body.user.panel_user_id).to.equal(null);
      const pages = service.panel.requests.filter(({ path }) => path.includes('filter'));
      expect(pages).to.have.lengthOf(10);
    });
  });

  it('is set by look-up for only one of two users, whichever comes first', async () => {
    service.panel.users.push({ id: 7, external_id: 'left', email: 'right@example.com' });
    await Promise.all([put('left', {}), put('right', {})]);
    expect([await panelUserOf('left'), await panelUserOf('right')]).to.have.members([7, null]);
  });
});
