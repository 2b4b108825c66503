/** Limits on making keys: a fresh key never brings a fresh limit of calls with it. */
import { expect } from 'chai';
import { type Account, signInAccount } from '../../support/account.ts';
import { useService } from '../../support/service.ts';

const request = { name: 'Deploy', scopes: ['read:account' as const], expires_at: null };

describe('the limit on creating keys', () => {
  const service = useService({ rateLimitPerMinute: 5 });
  let account: Account;

  beforeEach(async () => {
    account = await signInAccount(service.url, await service.addUser());
  });

  const create = () => account.api.keys.create.mutate(request);
  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;
  const spend = async (key: string) => {
    for (let call = 0; call < 5; call += 1) expect(await statusWith(key)).to.equal(200);
    expect(await statusWith(key)).to.equal(429);
  };

  it("429 rate_limited: refuses a user's 11th created or rotated key in a minute with Retry-After, but no other user's", async () => {
    for (let count = 0; count < 5; count += 1) {
      const { key } = await create();
      await account.api.keys.rotate.mutate({ id: key.id, overlap_hours: 0 });
    }
    const [newest] = (await account.api.keys.list.query()).live;
    for (const refused of [
      await account.call('keys.create', request),
      await account.call('keys.rotate', { id: newest?.id, overlap_hours: 0 }),
    ]) {
      expect([refused.status, refused.body.error.data.code]).to.deep.equal([429, 'rate_limited']);
      expect(Number(refused.headers.get('Retry-After'))).to.be.within(1, 61);
    }
    const other = await signInAccount(service.url, await service.addUser());
    expect((await other.call('keys.create', request)).status).to.equal(200);
  });

  it('counts no failed attempts: rotations of unknown keys, or creations beyond the maximum of keys', async () => {
    const unknown = { id: '0b9c3e2a-58e2-4b55-9d6e-2f8f5a1c7e11', overlap_hours: 0 };
    for (let count = 0; count < 11; count += 1)
      expect((await account.call('keys.rotate', unknown)).status).to.equal(404);
    for (let count = 0; count < 25; count += 1) {
      if (count % 10 === 9) service.clock.advance(61_000);
      await create();
    }
    for (let count = 0; count < 11; count += 1)
      expect((await account.call('keys.create', request)).status).to.equal(400);
  });

  const successions: Record<string, (id: string) => Promise<{ secret: string }>> = {
    'made after a revocation': async (id) => {
      await account.api.keys.revoke.mutate({ id });
      return create();
    },
    'that replaces another': (id) => account.api.keys.rotate.mutate({ id, overlap_hours: 0 }),
    'made after an expiry': () => {
      service.clock.advance(30_000);
      return create();
    },
  };
  for (const [what, succeed] of Object.entries(successions))
    it(`gives a key ${what} what the old one has left of its minute`, async () => {
      const expires_at = new Date(service.clock.now() + 30_000).toISOString();
      const old = await account.api.keys.create.mutate({ ...request, expires_at });
      await spend(old.secret);
      const { secret } = await succeed(old.key.id);
      expect(await statusWith(secret)).to.equal(429);
      const { live } = await account.api.keys.list.query();
      expect(live.map(({ calls_left }) => calls_left)).to.deep.equal([0]);
    });

  const issueWithOwnLimit = async () => {
    const user = await service.addUser();
    const newKey = { userId: user._id, name: 'Machine', scopes: ['read:account'], expiresAt: null };
    const now = new Date(service.clock.now());
    const { key, secret } = await service.models.apiKeys.issue({ ...newKey, callsPerMinute: 20 }, now);
    return { id: key._id, secret, api: (await signInAccount(service.url, user)).api };
  };

  it("counts calls of the old key against the new key's own limit if both have the same", async () => {
    const { id, secret: old, api } = await issueWithOwnLimit();
    for (let call = 0; call < 12; call += 1) expect(await statusWith(old)).to.equal(200);
    const { key, secret } = await api.keys.rotate.mutate({ id, overlap_hours: 0 });
    const { live } = await api.keys.list.query();
    expect(live.map(({ id, calls_left }) => [id, calls_left])).to.deep.equal([[key.id, 8]]);
    for (let call = 0; call < 8; call += 1) expect(await statusWith(secret)).to.equal(200);
    expect(await statusWith(secret)).to.equal(429);
  });

  for (const [spent, left] of [
    [2, 3],
    [12, 0],
  ] as const)
    it(`counts ${spent} calls of a key with its own limit against a new key's usual limit, which leaves ${left}`, async () => {
      const { id, secret: old, api } = await issueWithOwnLimit();
      for (let call = 0; call < spent; call += 1) await statusWith(old);
      await api.keys.revoke.mutate({ id });
      await api.keys.create.mutate(request);
      const { live } = await api.keys.list.query();
      expect(live.map(({ calls_left }) => calls_left)).to.deep.equal([left]);
    });

  it('gives a key created a minute later the full limit', async () => {
    const spent = await create();
    await spend(spent.secret);
    await account.api.keys.revoke.mutate({ id: spent.key.id });
    service.clock.advance(61_000);
    expect(await statusWith((await create()).secret)).to.equal(200);
  });
});
