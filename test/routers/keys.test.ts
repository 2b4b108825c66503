/** GET /key. What owners do with their keys is tested in test/server/account. */
import { expect } from 'chai';
import { scopes } from '../../routers/scopes.ts';
import { useService } from '../support/service.ts';

describe('GET /key', () => {
  const service = useService({ rateLimitPerMinute: 77 });

  const get = (key: string) => service.call('GET', '/key', { key });

  it('200: shows a key without scopes itself and no other stored field', async () => {
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

  it('200: shows admin scopes only while its owner is an administrator', async () => {
    const user = await service.addUser({ isAdmin: true });
    const { secret } = await service.addKey({ user });
    expect((await get(secret)).body.key.scopes).to.deep.equal([...scopes]);
    await service.models.users.change(user.email, { isAdmin: false });
    expect((await get(secret)).body.key.scopes).not.to.include('admin:announcements');
  });
});
