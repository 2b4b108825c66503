/** New keys can be restricted by the operator to a time in which they must expire. */
import { expect } from 'chai';
import { signedIn } from '../support/account.ts';
import { useService } from '../support/service.ts';

const scopes = ['read:catalog', 'read:account', 'write:servers'];

describe('KEY_MAX_DAYS', () => {
  const service = useService({ config: { keyMaxDays: 30, publicUrl: 'https://api.example.com' } });
  const dayMs = 24 * 60 * 60 * 1000;
  const inDays = (days: number) => new Date(service.clock.now() + days * dayMs).toISOString();

  it('refuses new keys without an expiry within it, and a rotation lengthens none', async () => {
    const { user, key: old } = await service.addKey();
    const { api } = await signedIn(service.url, user);
    const create = (expires_at: string | null) =>
      api.keys.create.mutate({ name: 'test', scopes, expires_at });
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

  it('addresses are not restricted behind a proxy that is not trusted', async () => {
    const { api } = await signedIn(service.url, await service.addUser());
    expect((await api.keys.list.query()).can_restrict_addresses).to.equal(false);
    const request = { name: 'test', scopes, addresses: ['203.0.113.7'], expires_at: inDays(1) };
    await api.keys.create.mutate(request).then(
      () => expect.fail('it was made'),
      ({ message }) => expect(message).to.match(/^Addresses cannot be restricted/),
    );
  });
});
