/** Callers without a verified key are limited by address; callers with one never meet that limit. */
import { expect } from 'chai';
import { startTestService, type TestService } from '../../support/service.ts';

describe('callers without a key', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService({ config: { addressLimitPerMinute: 5, trustProxy: true } });
  });

  after(() => service.stop());

  const from = (address: string, path: string, key?: string) =>
    service.callAt('GET', path, { headers: { 'X-Forwarded-For': address }, ...(key && { key }) });

  it('get 429 with Retry-After beyond the limit of their address', async () => {
    for (let count = 0; count < 5; count += 1)
      expect((await from('203.0.113.7', '/api/v1/me')).status).to.equal(401);
    const limited = await from('203.0.113.7:4711', '/api/v1/openapi.json');
    expect(limited.status).to.equal(429);
    expect(Number(limited.headers.get('retry-after'))).to.be.within(1, 60);
  });

  it('count with the other addresses of an IPv6 /64', async () => {
    for (let count = 0; count < 5; count += 1) await from(`2001:db8:1:2::${count}`, '/api/v1/me');
    expect((await from('2001:db8:1:2::ffff', '/api/v1/docs')).status).to.equal(429);
    expect((await from('2001:db8:1:3::1', '/api/v1/me')).status).to.equal(401);
  });

  it('do not limit a caller with a valid key at the same address, nor probes', async () => {
    const { secret } = await service.addKey();
    for (let count = 0; count < 7; count += 1) {
      expect((await from('203.0.113.9', '/api/v1/key', secret)).status).to.equal(200);
      expect((await from('203.0.113.9', '/healthz')).status).to.equal(200);
    }
  });
});
