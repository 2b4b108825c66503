/** Calls whose limit is counted in Redis, and taken while MongoDB looks their key up: counted once, and only if the key is valid. */
import { expect } from 'chai';
import { createLog } from '../../../server/observability/log.ts';
import { openRedis, type SharedRedis } from '../../../server/redis.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const limit = 10;

describe('a service that counts in Redis', () => {
  let redis: TestRedis;
  let shared: SharedRedis;
  let service: TestService;

  before(async () => {
    redis = await startTestRedis();
    shared = await openRedis(redis.url, createLog('silent'));
    service = await startTestService({ shared, rateLimitPerMinute: limit });
  });
  after(async () => {
    await service.stop();
    shared.stop();
    await redis.stop();
  });

  const takenOf = (keyId: string) => shared.redis.hget(`limit:calls:${keyId}`, 'taken');

  it('counts no call of a key that has been revoked, and forgets none before', async () => {
    const { secret, key } = await service.addKey();
    expect((await service.call('GET', '/me', { key: secret })).status).to.equal(200);
    await service.models.apiKeys.revoke(key._id, new Date(service.clock.now()));
    for (const path of ['/api/v1/me', '/trpc/account.me']) {
      expect((await service.callAt('GET', path, { key: secret })).status).to.equal(401);
      await eventually(async () => expect(await takenOf(key._id)).to.equal('1'));
    }
  });

  it("counts a call once when its key's limit has changed", async () => {
    const { secret, key } = await service.addKey();
    const get = () => service.call('GET', '/catalog/games', { key: secret });
    await get();
    const keys = service.connection.collection('api_keys');
    await keys.updateOne({ _id: key._id as never }, { $set: { callsPerMinute: 50 } });
    expect((await get()).headers.get('X-RateLimit-Limit')).to.equal('50');
    await eventually(async () => expect(await takenOf(key._id)).to.equal('2'));
    expect((await get()).headers.get('X-RateLimit-Remaining')).to.equal('47');
  });

  it('serves exactly as many concurrent reads as fit, and records the others as refused', async () => {
    const { secret, user } = await service.addKey();
    const get = () => service.call('GET', '/me', { key: secret });
    const responses = await Promise.all(Array.from({ length: 2 * limit }, get));
    const served = responses.filter(({ status }) => status === 200);
    const left = served.map(({ headers }) => Number(headers.get('X-RateLimit-Remaining')));
    expect(left.sort((a, b) => b - a)).to.deep.equal([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    for (const refused of responses.filter(({ status }) => status !== 200)) {
      expect(refused.status).to.equal(429);
      expect(Object.keys(refused.body)).to.deep.equal(['error']);
    }
    await service.flushAudit();
    const entries = await service.models.auditEntries.list({ userId: user._id, limit: 100 });
    const ofReads = entries.filter(({ operation }) => operation === 'account.me');
    const refusals = entries.filter(({ code }) => code === 'rate_limited');
    expect([ofReads.length, refusals.length, entries.length]).to.deep.equal([limit, limit, 2 * limit]);
  });
});
