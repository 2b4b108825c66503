/** A billing system creates, updates and deletes subscriptions. */
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { useAdmin } from '../../support/use-key.ts';

describe('/admin/subscriptions', () => {
  const service = useAdmin({ rateLimitPerMinute: 1000 });
  let customer: string;

  before(async () => {
    for (const id of ['c1', 'c2']) await put('users', id, { email: `${id}@example.com` });
    const user = await service.models.users.findByExternalId('c1');
    ({ secret: customer } = await service.addKey(user ? { user } : {}));
  });
  beforeEach(() => service.connection.collection('subscriptions').deleteMany({}));

  const put = (noun: string, id: string, body: object) =>
    service.call('PUT', `/admin/${noun}/${encodeURIComponent(id)}`, { key: service.key, body });
  const remove = (id: string) => service.call('DELETE', `/admin/subscriptions/${id}`, { key: service.key });
  const shown = async () =>
    (await service.call('GET', '/subscriptions', { key: customer })).body.subscriptions;

  it('creates a subscription, then changes its status under the same reference (PUT, 201 and 200)', async () => {
    const created = await put('subscriptions', 'prov/1', { user: 'c1', status: 'trialing' });
    expect(created.status).to.equal(201);
    expect(created.text).to.not.include('prov');
    expect(await shown()).to.deep.equal([created.body.subscription]);
    const changed = await put('subscriptions', 'prov/1', { user: 'c1', status: 'active' });
    expect(changed.status).to.equal(200);
    expect(changed.body.subscription).to.deep.equal({ ...created.body.subscription, status: 'active' });
  });

  it('shows name, price and renewal as the host gives them, keeps what is absent, and drops what is null (PUT)', async () => {
    const putOne = async (body: object) =>
      (await put('subscriptions', 'prov_8', { user: 'c1', status: 'active', ...body })).body.subscription;
    const given = { name: 'Survival 8 GB', price: '€12.00 a month', renews_at: '2026-12-01T01:00:00+01:00' };
    const filled = { ...given, renews_at: '2026-12-01T00:00:00.000Z' };
    expect(await putOne(given)).to.include(filled);
    expect(await putOne({ status: 'canceled' })).to.include({ ...filled, status: 'canceled' });
    expect(await putOne({ price: '', renews_at: null })).to.include({
      ...filled,
      price: null,
      renews_at: null,
    });
    expect((await shown())[0]).to.include({ name: 'Survival 8 GB', price: null, renews_at: null });
  });

  it('refuses a name or price of more than 100 characters, and a renewal that is no time (PUT, 400)', async () => {
    const body = { user: 'c1', status: 'active' };
    const tooLong = 'must be at most 100 characters';
    for (const field of ['name', 'price']) {
      const answer = await put('subscriptions', 'prov_9', { ...body, [field]: 'x'.repeat(101) });
      expectError(answer, 'bad_request', `${field} ${tooLong}`);
    }
    const answer = await put('subscriptions', 'prov_9', { ...body, renews_at: 'tomorrow' });
    expectError(
      answer,
      'bad_request',
      'renews_at must be a date and time with a zone, such as 2026-11-21T09:30:00Z or 2026-11-21T10:30:00+01:00',
    );
  });

  it('creates one subscription for many concurrent requests (PUT, 201)', async () => {
    const once = () => put('subscriptions', 'prov_2', { user: 'c1', status: 'active' });
    const answers = await Promise.all(Array.from({ length: 10 }, once));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(9).fill(200), 201]);
    expect(await shown()).to.have.length(1);
  });

  it('keeps one subscription for each provider id, even when several requests record it at once', async () => {
    const add = (userId: number) =>
      service.models.subscriptions.add({ userId, providerId: 'prov_6', status: 'active' }, new Date());
    const added = await Promise.all([1, 1, 2].map(add));
    expect(added.filter((subscription) => subscription !== null)).to.have.lengthOf(1);
    expect(await add(2)).to.equal(null);
  });

  it('moves a subscription to another user (PUT, 200)', async () => {
    await put('subscriptions', 'prov_3', { user: 'c1', status: 'active' });
    expect((await put('subscriptions', 'prov_3', { user: 'c2', status: 'active' })).status).to.equal(200);
    expect(await shown()).to.deep.equal([]);
  });

  it('gives none to a user who is being deleted (PUT, 404 not_found)', async () => {
    await put('users', 'c3', { email: 'c3@example.com' });
    const user = await service.models.users.findByExternalId('c3');
    const id = user?._id ?? 0;
    await service.models.transaction((session) => service.models.apiKeys.lock([id], session));
    const deleting = await service.connection.startSession();
    deleting.startTransaction();
    await service.models.userAccess.delete(id, new Date(), deleting);
    const before = await countAborted();
    const putting = put('subscriptions', 'prov_7', { user: 'c3', status: 'active' });
    const meets = eventually(async () => expect(await countAborted()).to.be.above(before));
    await Promise.race([putting, meets]);
    await deleting.commitTransaction();
    await deleting.endSession();
    expectError(await putting, 'not_found', 'User not found');
    expect(await service.connection.collection('subscriptions').countDocuments()).to.equal(0);
  });

  /** Counts this MongoDB's aborted transactions: those that conflict with another one. */
  async function countAborted(): Promise<number> {
    const status = await service.connection.db?.admin().command({ serverStatus: 1 });
    return status?.['transactions'].totalAborted;
  }

  it('refuses an unknown user (PUT, 404 not_found)', async () => {
    expectError(
      await put('subscriptions', 'prov_4', { user: 'c9', status: 'active' }),
      'not_found',
      'User not found',
    );
  });

  it('deletes a subscription once (DELETE, 200 then 404)', async () => {
    await put('subscriptions', 'prov_5', { user: 'c1', status: 'active' });
    const answer = await remove('prov_5');
    expect([answer.status, answer.body]).to.deep.equal([200, { deleted: true }]);
    expect(await shown()).to.deep.equal([]);
    expectError(await remove('prov_5'), 'not_found', 'Subscription not found');
  });
});
