/** GET /key, and the operator's limit on how long new keys live. test/server/account tests what owners do with their keys. */
import { expect } from 'chai';
import { scopes } from '../../routers/scopes.ts';
import { signInAccount } from '../support/account.ts';
import { useService } from '../support/service.ts';

describe('GET /key', () => {
  const service = useService({ rateLimitPerMinute: 77 });

  const get = (key: string) => service.call('GET', '/key', { key });

  it('shows a key without scopes its own fields and no other stored field (200)', async () => {
    const expiresAt = new Date(service.clock.now() + 60_000);
    const { key, secret } = await service.addKey({ scopes: [], expiresAt });
    const answer = await get(secret);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({
      key: {
        ...{ name: 'test', prefix: key.prefix, scopes: [], servers: null, addresses: null },
        ...{ expires_at: expiresAt.toISOString(), limit: { calls_per_minute: 77 } },
      },
    });
  });

  it('shows admin scopes only while its owner is an administrator (200)', async () => {
    const user = await service.addUser({ isAdmin: true });
    const { secret } = await service.addKey({ user });
    expect((await get(secret)).body.key.scopes).to.deep.equal([...scopes]);
    await service.models.users.change(user.email, { isAdmin: false });
    expect((await get(secret)).body.key.scopes).not.to.include('admin:announcements');
  });
});

describe('KEY_MAX_DAYS', () => {
  const service = useService({ config: { keyMaxDays: 30, publicUrl: 'https://api.example.com' } });
  const granted = ['read:catalog', 'read:account', 'write:servers'];
  const dayMs = 24 * 60 * 60 * 1000;
  const inDays = (days: number) => new Date(service.clock.now() + days * dayMs).toISOString();

  it('refuses new keys without an expiry within the limit, and prevents a rotation from extending one', async () => {
    const { user, key: old } = await service.addKey();
    const { api } = await signInAccount(service.url, user);
    const create = (expires_at: string | null) =>
      api.keys.create.mutate({ name: 'test', scopes: granted, expires_at });
    for (const expiry of [null, inDays(31)])
      await create(expiry).then(
        () => expect.fail('it was made'),
        ({ message }) => expect(message).to.equal('A key must expire within 30 days'),
      );
    const { key } = await create(inDays(5));
    const rotated = await api.keys.rotate.mutate({ id: key.id, overlap_hours: 0 });
    expect(rotated.key.expires_at).to.equal(key.expires_at);
    const bounded = await api.keys.rotate.mutate({ id: old._id, overlap_hours: 0 });
    expect(Date.parse(bounded.key.expires_at ?? '')).to.be.within(
      Date.parse(inDays(29)),
      Date.parse(inDays(30)),
    );
    const { live, max_days } = await api.keys.list.query();
    expect([live.length, max_days]).to.deep.equal([2, 30]);
  });

  it('rejects address restrictions behind an untrusted proxy', async () => {
    const { api } = await signInAccount(service.url, await service.addUser());
    expect((await api.keys.list.query()).can_restrict_addresses).to.equal(false);
    const request = { name: 'test', scopes: granted, addresses: ['203.0.113.7'], expires_at: inDays(1) };
    await api.keys.create.mutate(request).then(
      () => expect.fail('it was made'),
      ({ message }) => expect(message).to.match(/^Addresses cannot be restricted/),
    );
  });
});
