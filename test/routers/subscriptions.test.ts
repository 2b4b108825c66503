/** GET /subscriptions shows opaque references and nothing of the payment provider. */
import { expect } from 'chai';
import { useService } from '../support/service.ts';

describe('GET /subscriptions', () => {
  const service = useService();

  const get = (key: string) => service.call('GET', '/subscriptions', { key });
  const add = (userId: number, providerId: string, at = new Date()) =>
    service.models.subscriptions.add({ userId, providerId, status: 'active' }, at);

  it('lists own subscriptions by reference, newest first, or none (200)', async () => {
    const [mine, yours] = [await service.addKey(), await service.addKey()];
    expect((await get(mine.secret)).body).to.deep.equal({ subscriptions: [], summary: { total: 0 } });
    await add(mine.user._id, 'prov_1', new Date('2026-01-01T00:00:00Z'));
    await add(yours.user._id, 'prov_2');
    await add(mine.user._id, 'prov_3', new Date('2026-02-01T00:00:00Z'));
    const { status, body } = await get(mine.secret);
    expect(status).to.equal(200);
    const [{ reference: newest }, { reference: oldest }] = body.subscriptions;
    const active = { name: null, status: 'active', price: null, renews_at: null };
    expect(body).to.deep.equal({
      subscriptions: [
        { reference: newest, ...active, created_at: '2026-02-01T00:00:00.000Z' },
        { reference: oldest, ...active, created_at: '2026-01-01T00:00:00.000Z' },
      ],
      summary: { total: 2 },
    });
  });

  it('shows nothing of the provider or other stored fields', async () => {
    const { user, secret } = await service.addKey();
    const stored = await add(user._id, 'prov_secret');
    const more = { customerId: 'cus_secret', priceId: 'price_secret', serverId: 'srv_secret' };
    await service.connection
      .collection('subscriptions')
      .updateOne({ providerId: 'prov_secret' }, { $set: more });
    const { text, headers } = await get(secret);
    const answer = text.replace('"price":null', '') + JSON.stringify([...headers]);
    expect(answer).not.to.match(/secret|provider|customer|price|server|user/i);
    expect(answer).not.to.include(stored?._id.toString());
  });

  it('shows null where an earlier release stored no name, price and renewal (200)', async () => {
    const { user, secret } = await service.addKey();
    const stored = { reference: 'sub_before', userId: user._id, providerId: 'prov_7', status: 'active' };
    await service.connection.collection('subscriptions').insertOne({ ...stored, createdAt: new Date() });
    const [subscription] = (await get(secret)).body.subscriptions;
    expect(subscription).to.include({ name: null, price: null, renews_at: null });
  });

  it('keeps references stable, random and unique', async () => {
    const { user, secret } = await service.addKey();
    for (const id of ['prov_4', 'prov_5', 'prov_6']) await add(user._id, id);
    const references = async () =>
      (await get(secret)).body.subscriptions.map(({ reference }: { reference: string }) => reference);
    const first = await references();
    expect(await references()).to.deep.equal(first);
    expect(new Set(first).size).to.equal(3);
    for (const reference of first) expect(reference).to.match(/^sub_[0-9a-f]{32}$/);
  });
});
