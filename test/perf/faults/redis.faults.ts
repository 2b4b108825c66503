/** Redis is killed or silent under load, with two processes: no call fails because of it, and the limit is exact again afterwards. */
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { mapWithin } from '../../../models/support/queue.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type Customer, fillDatabase } from '../customers.ts';
import { callApi } from './call.ts';
import { record } from './figures.ts';
import { timeUntil } from './load.ts';
import { requestMixOf } from './request-mix.ts';
import { SteadyLoad } from './steady-load.ts';

const perMinute = 120;
const rate = 40;
/** Fewer than one customer may have running and queued in the two processes. */
const atOnce = 60;

describe('two processes of the service under load', () => {
  let redis: TestRedis;
  let programs: TestProgram[];
  let loads: SteadyLoad[];
  let unused: Customer[];

  before(async () => {
    const uri = testDatabaseUri();
    const customers = await fillDatabase(uri, 500, 3);
    unused = customers.splice(0, 120);
    redis = await startTestRedis();
    const settings = { MONGODB_URI: uri, REDIS_URL: redis.url, LOG_LEVEL: 'warn' };
    programs = await Promise.all([startProgram(settings), startProgram(settings)]);
    loads = programs.map(({ url }) => new SteadyLoad({ url, requests: requestMixOf(customers), rate }));
  });
  after(async () => {
    await Promise.all(loads.map((load) => load.stop()));
    expect(await Promise.all(programs.map((program) => program.stop()))).to.deep.equal([0, 0]);
    await redis.stop();
  });

  /** Sends a burst of calls with an unused key, alternating between both; resolves to the number that passed. */
  async function burst(calls = 400): Promise<number> {
    const key = unused.pop()?.secret;
    if (key === undefined) throw new Error('all keys have been used');
    const call = async (index: number) => {
      const { status } = await callApi(programs[index % 2]?.url ?? '', '/me', { key });
      expect(status).to.be.oneOf([200, 429]);
      return status;
    };
    const statuses = await mapWithin(atOnce, [...Array(calls).keys()], call);
    return statuses.filter((status) => status === 200).length;
  }

  const timesTold = () => programs.map(({ output }) => output().match(/Redis is unavailable/g)?.length ?? 0);

  /** Resolves to the time until both share one limit again. Each try needs a new key, as calls that one process counted alone remain. */
  const untilTogether = () =>
    timeUntil(async () => {
      expect(await burst(130)).to.equal(perMinute);
    }, 20_000);

  const faults: [what: string, begin: () => unknown, end: () => unknown][] = [
    ['Redis killed and started again, empty', () => redis.kill(), () => redis.restart()],
    ['Redis silent for seconds', () => redis.freeze(), () => redis.thaw()],
    ['Redis killed once more', () => redis.kill(), () => redis.restart()],
  ];
  for (const [what, begin, end] of faults)
    it(`answer every call, limit separately meanwhile, and log the fault once: ${what}`, async () => {
      const sentBefore = loads.map(({ sent }) => sent);
      const startedAt = performance.now();
      expect(await burst()).to.equal(perMinute);
      const toldBefore = timesTold();
      await begin();
      expect(await burst()).to.equal(2 * perMinute);
      await pass(3000);
      expect(await burst()).to.equal(2 * perMinute);
      expect(timesTold()).to.deep.equal(toldBefore.map((times) => times + 1));
      await end();
      const recoveredMs = await untilTogether();
      expect(await burst()).to.equal(perMinute);
      for (const { unexpected } of loads) expect(unexpected).to.deep.equal({});
      const sent = loads.reduce((sum, load, index) => sum + load.sent - (sentBefore[index] ?? 0), 0);
      record(what, {
        'answers/s': Math.round(sent / ((performance.now() - startedAt) / 1000)),
        'recovered after ms': recoveredMs,
        'p99 ms': Math.max(...loads.map((load) => load.takeLatency().p99)),
      });
    });
});
