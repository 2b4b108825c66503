/** Failed sign-ins that processes count together in Redis: at one is at all, and nobody waits while Redis is away. */
import { expect } from 'chai';
import { createSignInThrottle } from '../../server/account/sign-in-throttle.ts';
import { createLog } from '../../server/log.ts';
import { openRedis, type SharedRedis } from '../../server/redis.ts';
import { failureOf } from '../support/failure-of.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

describe('failed sign-ins, shared by processes', function () {
  this.timeout(120_000);
  let server: TestRedis;
  let opened: SharedRedis[];

  beforeEach(async () => {
    server = await startTestRedis();
    opened = [];
  });
  afterEach(async () => {
    for (const shared of opened) shared.stop();
    await server.stop();
  });

  async function open(): Promise<SharedRedis> {
    const shared = await openRedis(server.url, createLog('silent'));
    opened.push(shared);
    return shared;
  }

  const attempt = { email: 'ada@example.com', address: '192.0.2.7' };
  const createTwo = async () =>
    [createSignInThrottle(await open()), createSignInThrottle(await open())] as const;

  it('at one process count at all', async () => {
    const [one, other] = await createTwo();
    for (let tries = 0; tries < 5; tries += 1)
      for (const throttle of [one, other]) await throttle.count(attempt);
    const refusal = await failureOf(other.count(attempt));
    expect(refusal.message).to.match(/^Too many failed tries; wait 15 min$/);
    await one.forgive(attempt);
    await other.count(attempt);
  });

  it('still count while Redis is away, and nobody waits for it', async () => {
    const [one] = await createTwo();
    server.freeze();
    const startedAt = performance.now();
    for (let tries = 0; tries < 10; tries += 1) await one.count(attempt);
    expect((await failureOf(one.count(attempt))).message).to.match(/^Too many failed tries/);
    expect(performance.now() - startedAt).to.be.below(2000);
  });
});
