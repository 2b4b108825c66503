/** A billing system creates, changes, finds and lists users by external id. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('/admin/users', () => {
  const service = useAdmin({ rateLimitPerMinute: 1000 });
  beforeEach(async () => {
    await service.connection
      .collection<{ _id: number }>('users')
      .deleteMany({ _id: { $ne: service.user._id } });
    service.panel.users.length = 0;
  });

  const put = (id: string, body: object) =>
    service.call('PUT', `/admin/users/${id}`, { key: service.key, body });
  const get = (id: string) => service.call('GET', `/admin/users/${id}`, { key: service.key });
  const list = async (query = '') =>
    (await service.call('GET', `/admin/users${query}`, { key: service.key })).body;
  const dana = { email: 'Dana@Example.com', first_name: 'Dana' };

  it('creates an active user with null for omitted fields (PUT, 201)', async () => {
    const { status, body } = await put('customer-1', dana);
    expect(status).to.equal(201);
    const { id, created_at } = body.user;
    expect(body.user).to.deep.equal({
      ...{ id, email: 'dana@example.com', first_name: 'Dana', last_name: null, nickname: null },
      ...{ admin: false, chat_id: null, chat_username: null, chat_avatar_url: null },
      ...{ external_id: 'customer-1', active: true, panel_user_id: null, has_second_factor: false },
      ...{ created_at, updated_at: created_at },
    });
    expect((await get('customer-1')).body).to.deep.equal(body);
  });

  it('changes given fields and keeps omitted ones (PUT, 200)', async () => {
    await put('customer-1', { ...dana, nickname: 'dana' });
    const { status, body } = await put('customer-1', { email: 'new@example.com', first_name: null });
    expect(status).to.equal(200);
    expect(body.user).to.include({ email: 'new@example.com', first_name: null, nickname: 'dana' });
  });

  it('treats empty names as null and trims an address (PUT)', async () => {
    const body = { email: ' Blank@example.com ', first_name: 'Ada', last_name: '', chat_avatar_url: '' };
    const { status, body: shown } = await put('blank', body);
    expect(status).to.equal(201);
    expect(shown.user).to.include({ email: 'blank@example.com', first_name: 'Ada', last_name: null });
    expect(shown.user.chat_avatar_url).to.equal(null);
  });

  it('changes nothing for the same request twice (PUT, 200)', async () => {
    const { body: first } = await put('customer-1', dana);
    service.clock.advance(60_000);
    const { status, body } = await put('customer-1', dana);
    expect([status, body]).to.deep.equal([200, first]);
  });

  it('creates one user for ten concurrent first requests (PUT, 201)', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => put('customer-1', dana)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.user.id)).size).to.equal(1);
  });

  it("refuses another user's e-mail address in any case (PUT, 409 conflict)", async () => {
    await put('customer-1', dana);
    const message = 'The e-mail address belongs to another user';
    expectError(await put('customer-2', { email: 'DANA@example.com' }), 'conflict', message);
    await put('customer-2', { email: 'other@example.com' });
    expectError(await put('customer-2', dana), 'conflict', message);
    expect((await get('customer-2')).body.user.email).to.equal('other@example.com');
  });

  for (const [id, body, message] of [
    ['a b', dana, 'external_id must consist of A-Z a-z 0-9 . _ : @ -'],
    ['x'.repeat(192), dana, 'external_id must be at most 191 characters'],
    ['customer-1', {}, 'email is required'],
    ['customer-1', { email: 'dana' }, 'email must be an e-mail address, such as ada@example.com'],
    ['customer-1', { ...dana, admin: true }, 'admin is not a known field'],
    [
      'customer-1',
      { ...dana, chat_avatar_url: 'javascript:1' },
      'chat_avatar_url must be an http or https URL',
    ],
  ] as const)
    it(`answers PUT with 400 bad_request: ${message}`, async () => {
      expectError(await put(encodeURIComponent(id), body), 'bad_request', message);
    });

  it('accepts every character allowed in an external id (PUT)', async () => {
    const id = 'Az09._:@-';
    expect((await put(encodeURIComponent(id), dana)).body.user.external_id).to.equal(id);
    expect((await get(encodeURIComponent(id))).status).to.equal(200);
  });

  it('finds no user by an id or address in place of the external id (GET, 404 not_found)', async () => {
    for (const id of ['customer-1', '1', 'user1@example.com'])
      expectError(await get(id), 'not_found', 'User not found');
  });

  it('lists users by id, page by page, by address and by whether they are active (GET)', async () => {
    const admin = service.user._id;
    const ids = [admin];
    for (const number of [1, 2, 3]) {
      const body = { email: `c${number}@example.com`, active: number !== 2 };
      ids.push((await put(`customer-${number}`, body)).body.user.id);
    }
    const [, first, second, third] = ids;
    const page = async (query: string) => {
      const { users, has_more } = await list(query);
      return [users.map(({ id }: { id: number }) => id), has_more];
    };
    expect(await page('?limit=2')).to.deep.equal([[admin, first], true]);
    expect(await page(`?limit=2&after=${first}`)).to.deep.equal([[second, third], false]);
    expect(await page('?active=false')).to.deep.equal([[second], false]);
    expect(await page('?active=true')).to.deep.equal([[admin, first, third], false]);
    expect(await page('?email=C3%40example.com')).to.deep.equal([[third], false]);
  });

  describe('panel_user_id', () => {
    const user = { id: 77, external_id: null, email: 'x' };

    it('is looked up at the panel by external id, then by exact e-mail address', async () => {
      service.panel.users.push(
        { ...user, id: 7, external_id: 'customer-1' },
        { ...user, email: 'dana@example.com' },
      );
      service.panel.users.push({ ...user, id: 78, email: 'her.dana@example.com' });
      expect((await put('customer-1', { email: 'other@example.com' })).body.user.panel_user_id).to.equal(7);
      expect((await put('customer-2', dana)).body.user.panel_user_id).to.equal(77);
      expect((await put('customer-3', { email: 'a@example.com' })).body.user.panel_user_id).to.equal(null);
    });

    it('is not set from a panel user whose id or address only the panel treats as equal', async () => {
      service.panel.users.push(
        { ...user, id: 7, external_id: 'customer-1' },
        { ...user, email: '\u212aim@example.com' },
      );
      const taken = await put('CUSTOMER-1', { email: 'kim@example.com' });
      expect(taken.body.user.panel_user_id).to.equal(null);
      service.panel.users.push({ ...user, id: 78, email: 'Lee@Example.com' });
      const found = await put('CUSTOMER-1', { email: 'lee@example.com' });
      expect(found.body.user.panel_user_id).to.equal(78);
    });

    it('is not looked up when the request gives it', async () => {
      service.panel.users.push({ ...user, external_id: 'customer-1' });
      expect((await put('customer-1', { ...dana, panel_user_id: 5 })).body.user.panel_user_id).to.equal(5);
    });

    it('is looked up again when servers are requested after the panel was unavailable', async () => {
      service.panel.failWith(503, 'HttpException');
      const { status, body } = await put('customer-1', dana);
      expect([status, body.user.panel_user_id]).to.deep.equal([201, null]);
      service.panel.recover();
      service.panel.users.push({ ...user, external_id: 'customer-1' });
      service.panel.servers.set(77, []);
      service.clock.advance(61_000);
      const owner = await service.models.users.findByExternalId('customer-1');
      if (!owner) throw new Error('the user was not created');
      const { secret } = await service.addKey({ user: owner });
      expect((await service.call('GET', '/servers', { key: secret })).status).to.equal(200);
      expect((await get('customer-1')).body.user.panel_user_id).to.equal(77);
    });
  });
});
