/** The count that processes share in Redis: as exact as in memory, by one clock, and in nobody's way while Redis is away. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from '../../server/embedded/free-port.ts';
import { createCounter } from '../../server/limit/create-counter.ts';
import { RedisCounter } from '../../server/limit/redis-counter.ts';
import { createLog } from '../../server/log.ts';
import { openRedis, type SharedRedis } from '../../server/redis.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const max = 120;

describe('Redis, shared by processes', function () {
  this.timeout(120_000);
  let server: TestRedis;
  let opened: SharedRedis[];
  let logged: { msg: string; reason?: string }[];

  beforeEach(async () => {
    server = await startTestRedis();
    [opened, logged] = [[], []];
  });
  afterEach(async () => {
    for (const shared of opened) shared.stop();
    await server.stop();
  });

  /** A connection of its own, as each process has one. */
  async function open(url = server.url): Promise<SharedRedis> {
    const log = createLog('info', { write: (line) => void logged.push(JSON.parse(line)) });
    const shared = await openRedis(url, log);
    opened.push(shared);
    return shared;
  }

  describe('counts', () => {
    /** Takes by turns over two connections, all at once. */
    async function takeAtOnce(id: string, batches: readonly number[]) {
      const counters = [
        new RedisCounter((await open()).redis),
        new RedisCounter((await open()).redis),
      ] as const;
      return Promise.all(batches.map((calls, index) => counters[index % 2 ? 1 : 0].take(id, calls, max)));
    }

    for (let round = 1; round <= 5; round += 1)
      it(`lets exactly as many calls pass as fit, however many come at once (${round})`, async () => {
        const counts = await takeAtOnce('burst', Array(300).fill(1));
        expect(counts.filter(({ fits }) => fits)).to.have.lengthOf(max);
        const left = counts.filter(({ fits }) => fits).map((count) => count.left);
        expect(new Set(left).size, 'no two calls are the same one').to.equal(max);
        expect(new Set(counts.map(({ resetSeconds }) => resetSeconds)).size).to.equal(1);
      });

    it('take batches whole or not at all, up to the last call', async () => {
      const batches = Array.from({ length: 100 }, (_, index) => 1 + ((index * 7) % 13));
      const counts = await takeAtOnce('batches', [...batches, ...Array(20).fill(1)]);
      const takenOf = counts.map(({ fits }, index) => (fits ? (batches[index] ?? 1) : 0));
      expect(takenOf.reduce((sum, calls) => sum + calls)).to.equal(max);
    });

    it('tell what a refused batch leaves, and take nothing for it', async () => {
      const counter = new RedisCounter((await open()).redis);
      await counter.take('refused', 100, max);
      expect(await counter.take('refused', 21, max)).to.include({ fits: false, left: 20 });
      expect(await counter.take('refused', 20, max)).to.include({ fits: true, left: 0 });
    });

    it('can be looked at, which leaves nothing', async () => {
      const { redis } = await open();
      expect(await new RedisCounter(redis).take('looked', 0, max)).to.include({ fits: true, left: max });
      expect(await redis.exists('limit:looked')).to.equal(0);
    });

    it('end on a whole second of the clock of Redis, and are gone then', async () => {
      const { redis } = await open();
      const [seconds] = await redis.time();
      const { resetSeconds, secondsLeft } = await new RedisCounter(redis).take('window', 1, max);
      expect(resetSeconds - Number(seconds)).to.be.within(60, 62);
      expect(secondsLeft).to.be.within(60, 61);
      expect(await redis.pttl('limit:window')).to.be.within(59_000, 61_000);
    });

    it('begin anew for who has waited as long as told', async () => {
      const counter = new RedisCounter((await open()).redis, 500);
      await counter.take('patient', max, max);
      const { fits, secondsLeft } = await counter.take('patient', 1, max);
      expect(fits).to.equal(false);
      await delay(secondsLeft * 1000);
      expect(await counter.take('patient', 1, max)).to.include({ fits: true, left: max - 1 });
    });
  });

  describe('away', () => {
    const away = 'Redis is away: each process counts for itself until it is back';
    const back = 'Redis is back: all processes count together';
    const told = () => logged.map(({ msg }) => msg);

    async function createTwo() {
      const shared = [await open(), await open()] as const;
      const clock = () => Date.now();
      const [one, other] = shared.map((redis) => createCounter({ clock, shared: redis }));
      if (!one || !other) throw new Error('two were made');
      return { shared, one, other };
    }

    const isReady = async ({ redis }: SharedRedis) => {
      if (redis.status !== 'ready') await once(redis, 'ready');
    };

    it('each process counts for itself, and together again once it is back', async () => {
      const { shared, one, other } = await createTwo();
      await server.kill();
      for (const counter of [one, other]) {
        const counts = await Promise.all(Array.from({ length: 150 }, () => counter.take('key', 1, max)));
        expect(counts.filter(({ fits }) => fits)).to.have.lengthOf(max);
      }
      await server.restart();
      await Promise.all(shared.map(isReady));
      expect(await one.take('key', 1, max)).to.include({ fits: true, left: 119 });
      expect(await other.take('key', 1, max)).to.include({ fits: true, left: 118 });
    });

    it('is told once by each process, with the reason, and so is its return', async () => {
      const { shared, one, other } = await createTwo();
      await server.kill();
      for (let call = 0; call < 10; call += 1)
        await Promise.all([one, other].map((it) => it.take('key', 1, max)));
      expect(told()).to.deep.equal([away, away]);
      expect(logged[0]?.reason).to.be.a('string').that.is.not.empty;
      await server.restart();
      await Promise.all(shared.map(isReady));
      expect(told()).to.deep.equal([away, away, back, back]);
    });

    it('keeps nobody waiting: one moment when it says nothing any more, and none after that', async () => {
      const { shared, one } = await createTwo();
      server.freeze();
      const startedAt = performance.now();
      await one.take('key', 1, max);
      const firstMs = performance.now() - startedAt;
      await Promise.all(Array.from({ length: 100 }, () => one.take('key', 1, max)));
      const othersMs = performance.now() - startedAt - firstMs;
      expect(firstMs).to.be.within(100, 400);
      expect(othersMs).to.be.below(50);
      server.thaw();
      await once(shared[0].redis, 'ready');
      expect(await one.take('key', 0, max)).to.include({ fits: true });
    });

    it('at the start is no reason not to start; it is found when it comes', async () => {
      const shared = await open(`redis://127.0.0.1:${await freePort()}`);
      const counter = createCounter({ clock: Date.now, shared });
      expect(await counter.take('key', 1, max)).to.include({ fits: true, left: 119 });
      expect(told()).to.deep.equal([away]);
      expect(logged[0]?.reason).to.include('ECONNREFUSED');
    });

    it('is also one that refuses, as one without memory does', async () => {
      const shared = await open();
      const counter = createCounter({ clock: Date.now, shared });
      await shared.redis.config('SET', 'maxmemory', '1');
      expect(await counter.take('key', 1, max)).to.include({ fits: true, left: 119 });
      expect(await counter.take('key', 1, max)).to.include({ fits: true, left: 118 });
      expect(told()).to.deep.equal([away]);
      await shared.redis.config('SET', 'maxmemory', '0');
      expect(await counter.take('key', 1, max)).to.include({ fits: true, left: 119 });
      expect(told()).to.deep.equal([away, back]);
    });

    it('never has its password told', async () => {
      const { redis } = await open();
      await redis.config('SET', 'requirepass', 'secret-of-redis');
      await open(server.url.replace('//', '//:wrong-secret@'));
      expect(told()).to.deep.equal([away]);
      expect(JSON.stringify(logged)).to.not.match(/wrong-secret|secret-of-redis/);
    });
  });
});
