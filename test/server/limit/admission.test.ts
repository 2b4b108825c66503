/** The limits on one user's concurrent calls, with calls that end when a test lets them. */
import { expect } from 'chai';
import { z } from 'zod';
import { NoInput } from '../../../routers/schemas/common.ts';
import { endpoint, router, type Slot } from '../../../routers/trpc.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { useService } from '../../support/service.ts';

const runningMax = 50;
const inFlightMax = 1000;

describe("a user's concurrent calls", () => {
  const running: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  let key: string;

  const waitsInSlot = (slot: Slot) =>
    endpoint({
      route: `GET /test/${slot}`,
      scope: 'read:catalog',
      slot,
      tag: 'Description',
      summary: 'Wait',
      description: 'Waits until the test lets it end.',
      tool: { name: `test_${slot}` },
    })
      .input(NoInput)
      .output(z.object({}))
      .query(async () => {
        await new Promise<void>((resolve) => (slot === 'waiting' ? waiting : running).push(resolve));
        return {};
      });
  const waitingRouter = router({
    test: router({
      ordinary: waitsInSlot('ordinary'),
      panel: waitsInSlot('panel'),
      large: waitsInSlot('large'),
      largePanel: waitsInSlot('largePanel'),
      waiting: waitsInSlot('waiting'),
    }),
  });

  const service = useService({
    rateLimitPerMinute: 1_000_000,
    router: waitingRouter,
    config: { inFlightMax },
  });

  beforeEach(async () => {
    ({ secret: key } = await service.addKey());
  });

  const start = (count: number, secret = key, slot: Slot = 'ordinary') =>
    Array.from({ length: count }, () => service.call('GET', `/test/${slot}`, { key: secret }));
  const untilRunning = (count: number) =>
    eventually(async () => expect(running).to.have.lengthOf(count), 30_000);
  const end = (count: number) => {
    for (const finish of running.splice(0, count)) finish();
  };

  it('run fifty at a time over all keys, and the next starts when one ends', async () => {
    const user = await service.addUser();
    const keys = [await service.addKey({ user }), await service.addKey({ user })];
    const calls = keys.flatMap(({ secret }) => start(runningMax / 2 + 1, secret));
    await untilRunning(runningMax);
    end(2);
    await untilRunning(runningMax);
    end(runningMax);
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).to.deep.equal(new Set([200]));
  });

  for (const [what, slot, atOnce, isOthers] of [
    ["do not delay another user's call", 'ordinary', runningMax, true],
    ['run two at a time with large results, and do not delay the others', 'large', 2, false],
    ['run two at a time with large panel results, in addition to all others', 'largePanel', 2, false],
  ] as const)
    it(what, async () => {
      const calls = start(atOnce + 4, key, slot);
      await untilRunning(atOnce);
      const [other] = start(1, isOthers ? (await service.addKey()).secret : key);
      await untilRunning(atOnce + 1);
      running.pop()?.();
      expect((await other)?.status).to.equal(200);
      for (let left = atOnce + 4; left > 0; left -= atOnce) {
        await untilRunning(Math.min(left, atOnce));
        end(atOnce);
      }
      await Promise.all(calls);
    });

  it("leave places for other users' large panel results while they wait for their own", async () => {
    const keys = await Promise.all(Array.from({ length: 3 }, () => service.addKey()));
    const calls = keys.flatMap(({ secret }) => start(2, secret, 'largePanel'));
    await untilRunning(6);
    const [other] = start(1, key, 'large');
    await untilRunning(7);
    end(7);
    expect((await Promise.all([...calls, other])).map((answer) => answer?.status)).to.deep.equal(
      Array(7).fill(200),
    );
  });

  it('run four at a time with large results over all users', async () => {
    const keys = await Promise.all(Array.from({ length: 3 }, () => service.addKey()));
    const calls = keys.flatMap(({ secret }) => start(2, secret, 'large'));
    await untilRunning(4);
    const [other] = start(1);
    await untilRunning(5);
    end(5);
    await untilRunning(2);
    end(2);
    await Promise.all([...calls, other]);
  });

  it('run 25 at a time that need the panel, queue 50 more, and other calls continue', async () => {
    const calls = start(76, key, 'panel');
    await untilRunning(25);
    const refused = await Promise.race(calls);
    expectError(refused, 'rate_limited', 'Too many requests at once');
    const [other] = start(1);
    await untilRunning(26);
    running.pop()?.();
    expect((await other)?.status).to.equal(200);
    for (let ended = 0; ended < 3; ended += 1) {
      await untilRunning(25);
      end(25);
    }
    await Promise.all(calls);
  });

  it('are refused with 429 beyond a tenth of the total, queued calls included', async () => {
    const held = inFlightMax / 10;
    const calls = start(held + 1);
    const refused = await Promise.race(calls);
    expectError(refused, 'rate_limited', 'Too many requests at once');
    expect(refused.headers.get('Retry-After')).to.equal('1');
    await untilRunning(runningMax);
    end(runningMax);
    await untilRunning(held - runningMax);
    end(held - runningMax);
    expect((await Promise.all(calls)).filter(({ status }) => status === 200)).to.have.lengthOf(held);
  });

  describe('together with those of many users', () => {
    const placesMax = 100;
    const small = useService({ router: waitingRouter, config: { inFlightMax: placesMax } });

    it('leave the last tenth of places to users with no calls', async () => {
      const keys = await Promise.all(Array.from({ length: 19 }, () => small.addKey()));
      const [{ secret: busy } = { secret: '' }] = keys;
      const call = (secret: string) => small.call('GET', '/test/ordinary', { key: secret });
      const calls = keys.slice(0, 18).flatMap(({ secret }) => Array.from({ length: 5 }, () => call(secret)));
      await untilRunning(0.9 * placesMax);
      expect((await call(busy)).status).to.equal(503);
      const admitted = call(keys[18]?.secret ?? '');
      await untilRunning(0.9 * placesMax + 1);
      // These places are for users only.
      expect((await small.call('GET', '/openapi.json')).status).to.equal(503);
      end(running.length);
      expect((await admitted).status).to.equal(200);
      await Promise.all(calls);
    });

    const endWaits = () => {
      for (const finish of waiting.splice(0)) finish();
    };
    const untilWaiting = (count: number) =>
      eventually(async () => expect(waiting).to.have.lengthOf(count), 30_000);

    it("free a batch's place only while all its calls wait by request", async () => {
      const { secret } = await small.addKey();
      const path = '/trpc/test.waiting,test.ordinary?batch=1&input=%7B%220%22:%7B%7D,%221%22:%7B%7D%7D';
      const share = placesMax / 10;
      const batches = Array.from({ length: share }, () => small.callAt('GET', path, { key: secret }));
      await untilWaiting(share);
      await untilRunning(share);
      const ask = async () => (await small.call('GET', '/none', { key: secret })).status;
      expect(await ask()).to.equal(429);
      end(1);
      await eventually(async () => expect(await ask()).to.equal(404));
      endWaits();
      await eventually(async () => expect(await ask()).to.equal(404));
      end(share);
      expect(new Set((await Promise.all(batches)).map(({ status }) => status))).to.deep.equal(new Set([200]));
    });

    it('leave the last tenth of places for requested waits to users without such a wait', async () => {
      const secrets = await Promise.all(
        Array.from({ length: 10 }, async () => (await small.addKey()).secret),
      );
      const [first = '', last = ''] = [secrets[0], secrets[9]];
      const wait = (key: string) => small.call('GET', '/test/waiting', { key });
      const calls: ReturnType<typeof wait>[] = [];
      for (const [index, key] of secrets.slice(0, 9).entries()) {
        calls.push(...Array.from({ length: placesMax / 10 }, () => wait(key)));
        await untilWaiting((placesMax / 10) * (index + 1));
      }
      expect((await wait(first)).status).to.equal(503);
      calls.push(wait(last));
      await untilWaiting(0.9 * placesMax + 1);
      endWaits();
      expect(new Set((await Promise.all(calls)).map(({ status }) => status))).to.deep.equal(new Set([200]));
    });
  });
});
