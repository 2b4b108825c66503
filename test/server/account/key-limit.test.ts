/** Limits on making keys: a fresh key never brings a fresh limit of calls with it. */
import { expect } from 'chai';
import { type Account, signedIn } from '../../support/account.ts';
import { useService } from '../../support/service.ts';

const request = { name: 'Deploy', scopes: ['read:account' as const], expires_at: null };

describe('the limit on making keys', () => {
  const service = useService({ rateLimitPerMinute: 5 });
  let account: Account;

  beforeEach(async () => {
    account = await signedIn(service.url, await service.addUser());
  });

  const create = () => account.api.keys.create.mutate(request);
  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;
  const spend = async (key: string) => {
    for (let call = 0; call < 5; call += 1) expect(await statusWith(key)).to.equal(200);
    expect(await statusWith(key)).to.equal(429);
  };

  it('refuses the 11th key in a minute with 429 and Retry-After, and no other user', async () => {
    for (let count = 0; count < 10; count += 1) await create();
    const refused = await account.call('keys.create', request);
    expect([refused.status, refused.body.error.data.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 61);
    const other = await signedIn(service.url, await service.addUser());
    expect((await other.call('keys.create', request)).status).to.equal(200);
  });

  it('counts rotations as new keys', async () => {
    let { key } = await create();
    for (let count = 0; count < 9; count += 1)
      ({ key } = await account.api.keys.rotate.mutate({ id: key.id, overlap_hours: 0 }));
    const refused = await account.call('keys.rotate', { id: key.id, overlap_hours: 0 });
    expect(refused.status).to.equal(429);
  });

  it('gives a key made after a revocation what the revoked one has left of its minute', async () => {
    const spent = await create();
    await spend(spent.secret);
    await account.api.keys.revoke.mutate({ id: spent.key.id });
    const fresh = await create();
    expect(await statusWith(fresh.secret)).to.equal(429);
    const { live } = await account.api.keys.list.query();
    expect(live.map(({ calls_left }) => calls_left)).to.deep.equal([0]);
  });

  it('gives a rotated key what the old one has left of its minute', async () => {
    const old = await create();
    await spend(old.secret);
    const { secret } = await account.api.keys.rotate.mutate({ id: old.key.id, overlap_hours: 0 });
    expect(await statusWith(secret)).to.equal(429);
  });

  it('gives a key made after an expiry what the expired one has left of its minute', async () => {
    const expires_at = new Date(service.clock.now() + 30_000).toISOString();
    const old = await account.api.keys.create.mutate({ ...request, expires_at });
    await spend(old.secret);
    service.clock.advance(30_000);
    expect(await statusWith((await create()).secret)).to.equal(429);
  });

  it('counts with a limit of its own what was spent of the old key, which had the same', async () => {
    const user = await service.addUser();
    const scopes = ['read:account'] as const;
    const own = { userId: user._id, name: 'Machine', scopes, expiresAt: null, callsPerMinute: 20 };
    const old = await service.models.apiKeys.issue(own, new Date(service.clock.now()));
    for (let call = 0; call < 12; call += 1) expect(await statusWith(old.secret)).to.equal(200);
    const { api } = await signedIn(service.url, user);
    const { key, secret } = await api.keys.rotate.mutate({ id: old.key._id, overlap_hours: 0 });
    const { live } = await api.keys.list.query();
    expect(live.map(({ id, calls_left }) => [id, calls_left])).to.deep.equal([[key.id, 8]]);
    for (let call = 0; call < 8; call += 1) expect(await statusWith(secret)).to.equal(200);
    expect(await statusWith(secret)).to.equal(429);
  });

  it('counts what was spent of an own limit against the usual one of a new key, up to the whole', async () => {
    const user = await service.addUser();
    const { api } = await signedIn(service.url, user);
    const left = async (spentCalls: number) => {
      const own = { userId: user._id, name: 'Machine', scopes: ['read:account'], expiresAt: null };
      const now = new Date(service.clock.now());
      const old = await service.models.apiKeys.issue({ ...own, callsPerMinute: 20 }, now);
      for (let call = 0; call < spentCalls; call += 1) await statusWith(old.secret);
      await api.keys.revoke.mutate({ id: old.key._id });
      const { key } = await api.keys.create.mutate(request);
      const { live } = await api.keys.list.query();
      return live.find(({ id }) => id === key.id)?.calls_left;
    };
    expect(await left(2)).to.equal(3);
    expect(await left(12)).to.equal(0);
  });

  it('gives a key made a minute later its whole limit', async () => {
    const spent = await create();
    await spend(spent.secret);
    await account.api.keys.revoke.mutate({ id: spent.key.id });
    service.clock.advance(61_000);
    expect(await statusWith((await create()).secret)).to.equal(200);
  });
});
