/** Users without an id in the host's own system, such as those from the panel, are addressed by ~ and their id here. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { expectError } from '../../support/expect-error.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('/admin/users/~ID', () => {
  const service = useAdmin({ rateLimitPerMinute: 1000 });
  let user: UserRecord;

  beforeEach(async () => {
    user = await service.addUser({ firstName: 'Ada', lastName: 'Lovelace', panelUserId: 7 });
  });
  afterEach(() => service.connection.collection('users').deleteOne({ _id: user._id as never }));

  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/admin/users${path}`, { key: service.key, ...(body && { body }) });

  it('shows the user, including one that has an external id (GET, 200)', async () => {
    expect((await call('GET', `/~${user._id}`)).body.user).to.include({ id: user._id, external_id: null });
    const { body } = await call('PUT', '/named', { email: 'named@example.com' });
    expect((await call('GET', `/~${body.user.id}`)).body).to.deep.equal(body);
    await call('DELETE', '/named');
  });

  it('changes the given fields, suspends and resumes, and sets no external id (PUT, 200)', async () => {
    const { secret: key } = await service.addKey({ user });
    const changed = await call('PUT', `/~${user._id}`, { nickname: 'ada', panel_user_id: 8, active: false });
    expect(changed.status).to.equal(200);
    expect(changed.body.user).to.include({ nickname: 'ada', first_name: 'Ada', panel_user_id: 8 });
    expect(changed.body.user).to.include({ external_id: null, active: false });
    expect((await service.call('GET', '/me', { key })).status).to.equal(401);
    await call('PUT', `/~${user._id}`, { active: true });
    expect((await service.call('GET', '/me', { key })).status).to.equal(200);
    expect((await call('PUT', `/~${user._id}`, { active: true })).body.user.active).to.equal(true);
  });

  it("refuses another user's address or panel user, and any change to staff (PUT, 409 conflict)", async () => {
    const other = await service.addUser({ panelUserId: 70 });
    const staff = await service.addUser({ isSupport: true });
    const put = (id: number, body: object) => call('PUT', `/~${id}`, body);
    const taken = 'The e-mail address belongs to another user';
    expectError(await put(user._id, { email: other.email }), 'conflict', taken);
    const panelTaken = 'panel_user_id belongs to another user';
    expectError(await put(user._id, { panel_user_id: 70 }), 'conflict', panelTaken);
    const onCommandLine = 'Administrators and support staff are changed on the command line only';
    expectError(await put(staff._id, { active: false }), 'conflict', onCommandLine);
  });

  it('finds no user with an unknown id, and does not create one on PUT (404 not_found)', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/servers'],
      ['POST', '/sign-in-link'],
    ] as const)
      expectError(
        await call(method, `/~999999999${path}`, method === 'PUT' ? { email: 'x@y.example' } : undefined),
        'not_found',
        'User not found',
      );
    expectError(await call('GET', '/~0'), 'not_found', 'User not found');
    expect((await call('PUT', '/~0', { email: 'x@y.example' })).status).to.equal(400);
  });

  it("lists the user's servers as the panel has them and records their owner (GET /servers, 200)", async () => {
    service.panel.servers.set(7, [panelServer({ name: 'Survival' })]);
    const { status, body } = await call('GET', `/~${user._id}/servers`);
    expect(status).to.equal(200);
    expect(body.summary).to.deep.equal({ total: 1 });
    expect(body.servers[0]).to.include({ name: 'Survival', is_suspended: false });
    await service.flushAudit();
    const [entry] = await service.models.auditEntries.list({ userId: service.user._id, limit: 1 });
    expect(entry).to.include({ operation: 'admin.listUserServers', ownerId: user._id });
    const none = await service.addUser();
    expect((await call('GET', `/~${none._id}/servers`)).body).to.deep.equal({
      servers: [],
      summary: { total: 0 },
    });
  });

  it('finds a part of the address, of the external id and of each name in any case (GET ?search=)', async () => {
    const { body } = await call('PUT', '/Customer-77', {
      email: 'grace@navy.example',
      nickname: 'amazing (1)',
    });
    const find = async (search: string) => {
      const found = await call('GET', `?search=${encodeURIComponent(search)}`);
      return found.body.users.map(({ id }: { id: number }) => id);
    };
    for (const part of ['GRACE@', 'navy', 'customer-77', 'Amazing (1)'])
      expect(await find(part), part).to.deep.equal([body.user.id]);
    expect(await find('lovel')).to.deep.equal([user._id]);
    for (const pattern of ['.*', 'grace.navy', '^grace']) expect(await find(pattern)).to.deep.equal([]);
    await call('DELETE', '/Customer-77');
  });

  it('finds users who match all words, in any field and order, ignoring case and accents (GET ?search=)', async () => {
    const { body } = await call('PUT', '/Kunde-78', {
      email: 'joerg@navy.example',
      first_name: 'Jörg',
      last_name: 'Weiß',
    });
    for (const search of ['weiss jorg', ' JÖRG  navy ', 'kunde-78 WEISS', 'joerg weiß'])
      expect(
        (await call('GET', `?search=${encodeURIComponent(search)}`)).body.users,
        search,
      ).to.have.lengthOf(1);
    for (const search of ['jorg schwarz', 'weis.'])
      expect((await call('GET', `?search=${encodeURIComponent(search)}`)).body.users).to.deep.equal([]);
    expect(body.user.id).to.be.a('number');
    await call('PUT', '/Kunde-78', { last_name: 'Schwarz' });
    const find = async (search: string) => (await call('GET', `?search=${search}`)).body.users.length;
    expect([await find('kunde-78+schwarz'), await find('kunde-78+weiss')]).to.deep.equal([1, 0]);
    await call('DELETE', '/Kunde-78');
  });
});
