/** Calls and sign-ins whose limits are counted in Redis. */
import { expect } from 'chai';
import { createAccountLimits } from '../../../server/account/account-limits.ts';
import { createLimiter } from '../../../server/limit/limiter.ts';
import { createLog } from '../../../server/observability/log.ts';
import { openRedis, type SharedRedis } from '../../../server/redis.ts';
import { failureOf } from '../../support/failure-of.ts';
import { type FlakyProxy, openFlakyProxy } from '../../support/flaky-proxy.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { openPatiently, startTestRedis, type TestRedis } from '../../support/redis.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { useForEach } from '../../support/use-started.ts';

describe('a service that counts in Redis', () => {
  const limit = 10;
  let redis: TestRedis;
  let shared: SharedRedis;
  let line: FlakyProxy;
  let service: TestService;

  before(async () => {
    redis = await startTestRedis();
    shared = await openPatiently(redis.url);
    line = await openFlakyProxy(testDatabaseUri());
    service = await startTestService({ shared, rateLimitPerMinute: limit, databaseUri: line.uri });
  });
  after(async () => {
    await service.stop();
    line.close();
    shared.stop();
    await redis.stop();
  });

  it('serves exactly as many concurrent reads as fit, and records the refusals', async () => {
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

  it('counts no call if its key cannot be looked up, so trouble with MongoDB causes no 429', async () => {
    const { secret } = await service.addKey();
    const get = () => service.call('GET', '/me', { key: secret });
    expect((await get()).status).to.equal(200);
    line.breakAt('api_keys', 3 * (limit + 5)); // a read is tried three times
    for (let call = 0; call < limit + 5; call += 1) expect((await get()).status).to.equal(503);
    const answer = await get();
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('X-RateLimit-Remaining')).to.equal(String(limit - 2));
  });

  it('counts no call of a revoked key', async () => {
    const { secret, key } = await service.addKey();
    expect((await service.call('GET', '/me', { key: secret })).status).to.equal(200);
    await service.models.apiKeys.revoke(key._id, new Date(service.clock.now()));
    for (const path of ['/api/v1/me', '/trpc/account.me'])
      expect((await service.callAt('GET', path, { key: secret })).status).to.equal(401);
    expect(await shared.redis.hget(`limit:calls:${key._id}`, 'counted')).to.equal('1');
  });
});

describe('failed sign-ins at several processes', () => {
  const opened: SharedRedis[] = [];
  afterEach(() => {
    for (const shared of opened.splice(0)) shared.stop();
  });
  const server = useForEach(startTestRedis);

  const signIn = { email: 'ada@example.com', address: '192.0.2.7' };
  const attemptOver = (shared: SharedRedis) => {
    opened.push(shared);
    return createAccountLimits(createLimiter({ clock: Date.now, shared }), null).signIn(signIn);
  };

  it('are counted together', async () => {
    const one = attemptOver(await openPatiently(server.url));
    const other = attemptOver(await openPatiently(server.url));
    for (let tries = 0; tries < 5; tries += 1) for (const attempt of [one, other]) await attempt.count();
    const refusal = await failureOf(other.count());
    expect(refusal.message).to.match(/^Too many failed attempts; try again in 15 min$/);
    await one.succeed();
    await other.count();
  });

  it('are counted by each process while Redis is unavailable, without waiting for it', async () => {
    const one = attemptOver(await openRedis(server.url, createLog('silent')));
    server.freeze();
    for (let tries = 0; tries < 10; tries += 1) await one.count();
    expect((await failureOf(one.count())).message).to.match(/^Too many failed attempts/);
  });
});
