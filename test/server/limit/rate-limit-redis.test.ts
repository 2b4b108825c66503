/** Counting calls in Redis: exact across processes, by one clock, with a fallback to memory while Redis is unavailable. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { createLimiter, RedisWindows } from '../../../server/limit/limiter.ts';
import { createLog } from '../../../server/observability/log.ts';
import { openRedis, type SharedRedis } from '../../../server/redis.ts';
import { openPatiently, startTestRedis } from '../../support/redis.ts';
import { useForEach } from '../../support/use-started.ts';

const max = 120;
const window = { name: 'calls', seconds: 60, max };

/** A limiter of one process; a key may have its own limit. */
function createCounter(shared: SharedRedis) {
  const limiter = createLimiter({ clock: Date.now, shared });
  return {
    consume: (key: string, calls: number, own = max) => limiter.consume({ ...window, max: own }, key, calls),
  };
}

describe('the rate limiter with Redis', () => {
  const opened: SharedRedis[] = [];
  const logged: { msg: string; reason?: string }[] = [];
  const log = createLog('info', { write: (line) => void logged.push(JSON.parse(line)) });

  beforeEach(() => void logged.splice(0));
  afterEach(() => {
    for (const shared of opened.splice(0)) shared.stop();
  });
  const server = useForEach(startTestRedis);

  async function open(url = server.url, responseTimeoutMs?: number): Promise<SharedRedis> {
    const shared = await (responseTimeoutMs
      ? openRedis(url, log, responseTimeoutMs)
      : openPatiently(url, log));
    opened.push(shared);
    return shared;
  }

  const openCounter = async () => createCounter(await open());

  describe('while Redis is up', () => {
    // A fallback to memory would be logged.
    afterEach(() => expect(logged).to.deep.equal([]));

    async function consumeConcurrently(id: string, batches: readonly number[]) {
      const counters = await Promise.all([openCounter(), openCounter()]);
      return Promise.all(batches.map((calls, index) => counters[index % 2 ? 1 : 0].consume(id, calls)));
    }

    it('admits exactly as many concurrent calls as fit', async () => {
      const counts = await consumeConcurrently('burst', Array(300).fill(1));
      expect(counts.filter(({ fits }) => fits)).to.have.lengthOf(max);
      const left = counts.filter(({ fits }) => fits).map((count) => count.left);
      expect(new Set(left).size, 'each call counts').to.equal(max);
      expect(new Set(counts.map(({ resetSeconds }) => resetSeconds)).size).to.equal(1);
    });

    it('accepts batches completely or not at all, up to the last call', async () => {
      const batches = Array.from({ length: 100 }, (_, index) => 1 + ((index * 7) % 13));
      const counts = await consumeConcurrently('batches', [...batches, ...Array(20).fill(1)]);
      const countedOf = counts.map(({ fits }, index) => (fits ? (batches[index] ?? 1) : 0));
      expect(countedOf.reduce((sum, calls) => sum + calls)).to.equal(max);
    });

    it('counts ids separately when their calls go to Redis together', async () => {
      const counter = await openCounter();
      const ids = Array.from({ length: 100 }, (_, index) => `id-${index % 10}`);
      const counts = await Promise.all(ids.map((id, index) => counter.consume(id, 1, max + (index % 10))));
      const left = counts.map((count) => count.left);
      expect(left).to.deep.equal(ids.map((_, index) => max + (index % 10) - 1 - Math.floor(index / 10)));
    });

    it('counts nothing for a refused batch', async () => {
      const counter = await openCounter();
      await counter.consume('refused', 100);
      expect(await counter.consume('refused', 21)).to.include({ fits: false, left: 20 });
      expect(await counter.consume('refused', 20)).to.include({ fits: true, left: 0 });
    });

    it('reads a count without storing anything', async () => {
      const counter = await openCounter();
      const { redis } = await open();
      expect(await counter.consume('read', 0)).to.include({ fits: true, left: max });
      expect(await redis.exists('limit:calls:looked')).to.equal(0);
    });

    it('ends windows on a full second of Redis’ clock and deletes them then', async () => {
      const { redis } = await open();
      const [seconds] = await redis.time();
      const { resetSeconds, secondsLeft } = await (await openCounter()).consume('window', 1);
      expect(resetSeconds - Number(seconds)).to.be.within(60, 62);
      expect(secondsLeft).to.be.within(60, 61);
      expect(await redis.pttl('limit:calls:window')).to.be.within(59_000, 61_000);
    });

    it('starts a new window for a caller that waited for the time in the refusal', async () => {
      const windows = new RedisWindows((await open()).redis);
      const short = { name: 'short', seconds: 0.001, max };
      const consume = (...batch: number[]) =>
        windows.consumeAll(batch.map((calls) => ({ window: short, id: 'short:patient', calls })));
      const [, refused] = await consume(max, 1);
      expect(refused?.fits).to.equal(false);
      await delay((refused?.secondsLeft ?? 0) * 1000);
      expect((await consume(1))[0]).to.include({ fits: true, left: max - 1 });
    });
  });

  describe('while Redis is unavailable', () => {
    const outage = 'Redis is unavailable: each process limits on its own until it is back';
    const back = 'Redis is back: limits are shared again';
    const messages = () => logged.map(({ msg }) => msg);

    it('waits for a frozen Redis once, and not at all after that', async () => {
      const shared = await open(server.url, 100);
      const one = createCounter(shared);
      server.freeze();
      await one.consume('key', 1);
      let counted = 0;
      for (let call = 0; call < 100; call += 1)
        void Promise.resolve(one.consume('key', 1)).then(() => (counted += 1));
      await new Promise(setImmediate);
      expect(counted).to.equal(100);
      server.thaw();
      await once(shared.redis, 'ready');
      expect(await one.consume('key', 0)).to.include({ fits: true });
    });

    it('starts and counts in memory', async () => {
      const shared = await open(`redis://127.0.0.1:${await findFreePort()}`);
      const counter = createCounter(shared);
      expect(await counter.consume('key', 1)).to.include({ fits: true, left: 119 });
      expect(messages()).to.deep.equal([outage]);
      expect(logged[0]?.reason).to.include('ECONNREFUSED');
    });

    it('counts in memory if Redis refuses commands, as it does when out of memory', async () => {
      const shared = await open();
      const counter = createCounter(shared);
      await shared.redis.config('SET', 'maxmemory', '1');
      expect(await counter.consume('key', 1)).to.include({ fits: true, left: 119 });
      expect(await counter.consume('key', 1)).to.include({ fits: true, left: 118 });
      expect(messages()).to.deep.equal([outage]);
      await shared.redis.config('SET', 'maxmemory', '0');
      expect(await counter.consume('key', 1)).to.include({ fits: true, left: 119 });
      expect(messages()).to.deep.equal([outage, back]);
    });

    it('never logs the password of Redis', async () => {
      const { redis } = await open();
      await redis.config('SET', 'requirepass', 'secret-of-redis');
      await open(server.url.replace('//', '//:wrong-secret@'));
      expect(messages()).to.deep.equal([outage]);
      expect(JSON.stringify(logged)).to.not.match(/wrong-secret|secret-of-redis/);
    });
  });
});
