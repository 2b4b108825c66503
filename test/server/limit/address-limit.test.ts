/** Callers without a verified key are limited by address; callers with one never meet that limit. */
import { expect } from 'chai';
import { openPatiently, startTestRedis } from '../../support/redis.ts';
import { startTestService, useService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

describe('callers without a key', () => {
  const service = useService({ config: { addressLimitPerMinute: 5, trustProxy: true } });

  const from = (address: string, path: string, key?: string) =>
    service.callAt('GET', path, { headers: { 'X-Forwarded-For': address }, ...(key && { key }) });

  it('get 429 with Retry-After beyond the limit of their address', async () => {
    for (let count = 0; count < 5; count += 1)
      expect((await from('203.0.113.7', '/api/v1/me')).status).to.equal(401);
    const limited = await from('203.0.113.7:4711', '/api/v1/openapi.json');
    expect(limited.status).to.equal(429);
    expect(Number(limited.headers.get('retry-after'))).to.be.within(1, 61);
  });

  it('share a limit within an IPv6 /64', async () => {
    for (let count = 0; count < 5; count += 1) await from(`2001:db8:1:2::${count}`, '/api/v1/me');
    expect((await from('2001:db8:1:2::ffff', '/api/v1/docs')).status).to.equal(429);
    expect((await from('2001:db8:1:3::1', '/api/v1/me')).status).to.equal(401);
  });

  it('share a limit ten times as high within their IPv6 /48, and no wider', async () => {
    const statuses = [];
    for (let network = 0; network < 26; network += 1)
      for (const host of [1, 2])
        statuses.push((await from(`2001:db8:7:${network}::${host}`, '/api/v1/me')).status);
    expect(statuses).to.deep.equal([...Array(50).fill(401), 429, 429]);
    expect((await from('2001:db8:8:1::1', '/api/v1/me')).status).to.equal(401);
  });

  it('leave probes and callers with a valid key at the same address unlimited', async () => {
    const { secret } = await service.addKey();
    for (let count = 0; count < 7; count += 1) {
      expect((await from('203.0.113.9', '/api/v1/key', secret)).status).to.equal(200);
      expect((await from('203.0.113.9', '/healthz')).status).to.equal(200);
    }
  });
});

describe('callers without a key at several processes', () => {
  const redis = useStarted(startTestRedis);
  const startProcess = async () => {
    const shared = await openPatiently(redis.url);
    const service = await startTestService({ shared, config: { addressLimitPerMinute: 5 } });
    return {
      statusOf: async () => (await service.call('GET', '/me')).status,
      stop: () => service.stop().then(() => shared.stop()),
    };
  };
  const one = useStarted(startProcess);
  const other = useStarted(startProcess);

  it('share one limit, and have one per process while Redis is unavailable', async () => {
    const statuses = [];
    for (const { statusOf } of [one, other, one, other, one, other, one]) statuses.push(await statusOf());
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429]);
    await redis.kill();
    expect(await other.statusOf()).to.equal(401); // its fourth
  });
});
