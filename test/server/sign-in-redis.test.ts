/** Failed sign-ins counted by all processes in Redis, and by each process alone while Redis is unavailable. */
import { expect } from 'chai';
import { createAccountLimits } from '../../server/account/account-limits.ts';
import { createLimiter } from '../../server/limit/limiter.ts';
import { createLog } from '../../server/observability/log.ts';
import { openRedis, type SharedRedis } from '../../server/redis.ts';
import { failureOf } from '../support/failure-of.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

describe('failed sign-ins of several processes', () => {
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

  const signIn = { email: 'ada@example.com', address: '192.0.2.7' };
  const createAttempt = async () => {
    const limiter = createLimiter({ clock: Date.now, shared: await open() });
    return createAccountLimits(limiter).signIn(signIn);
  };

  it('are counted together', async () => {
    const [one, other] = [await createAttempt(), await createAttempt()];
    for (let tries = 0; tries < 5; tries += 1) for (const attempt of [one, other]) await attempt.count();
    const refusal = await failureOf(other.count());
    expect(refusal.message).to.match(/^Too many failed attempts; try again in 15 min$/);
    await one.succeed();
    await other.count();
  });

  it('are counted by each process while Redis is unavailable, without waiting for it', async () => {
    const one = await createAttempt();
    server.freeze();
    for (let tries = 0; tries < 10; tries += 1) await one.count();
    expect((await failureOf(one.count())).message).to.match(/^Too many failed attempts/);
  });
});
