/** The turns of a user's calls, on calls that a test lets end. */
import { expect } from 'chai';
import { z } from 'zod';
import { NoInput } from '../../../routers/schemas/common.ts';
import { endpoint, readHints, router } from '../../../routers/trpc.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const runningMax = 50;
const waitingMax = 500;

describe("a user's concurrent calls", () => {
  let service: TestService;
  let running: (() => void)[];
  let key: string;

  const waitingRouter = router({
    test: router({
      wait: endpoint({
        scope: 'read:catalog',
        status: 200,
        openapi: {
          method: 'GET',
          path: '/test/wait',
          tags: ['Description'],
          summary: 'Wait',
          description: 'Waits until the test lets it end.',
        },
        tool: { name: 'test_wait', title: 'Wait', ...readHints },
      })
        .input(NoInput)
        .output(z.object({}))
        .query(async () => {
          await new Promise<void>((resolve) => running.push(resolve));
          return {};
        }),
    }),
  });

  beforeEach(async () => {
    running = [];
    service = await startTestService({ rateLimitPerMinute: 1_000_000, router: waitingRouter });
    ({ secret: key } = await service.addKey());
  });
  afterEach(async () => {
    await service.stop();
  });

  const start = (count: number, secret = key) =>
    Array.from({ length: count }, () => service.call('GET', '/test/wait', { key: secret }));
  const untilRunning = (count: number) =>
    eventually(async () => expect(running).to.have.lengthOf(count), 30_000);
  const end = (count: number) => {
    for (const finish of running.splice(0, count)) finish();
  };

  it('run fifty at once over all keys, and the next one runs when one of them has ended', async () => {
    const user = await service.addUser();
    const keys = [await service.addKey({ user }), await service.addKey({ user })];
    const calls = keys.flatMap(({ secret }) => start(runningMax / 2 + 1, secret));
    await untilRunning(runningMax);
    end(2);
    await untilRunning(runningMax);
    end(runningMax);
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).to.deep.equal(new Set([200]));
  });

  it("do not delay another user's call", async () => {
    const calls = start(runningMax + 5);
    await untilRunning(runningMax);
    const { secret } = await service.addKey();
    const [other] = start(1, secret);
    await untilRunning(runningMax + 1);
    running.pop()?.();
    expect((await other)?.status).to.equal(200);
    end(runningMax);
    await untilRunning(5);
    end(5);
    await Promise.all(calls);
  });

  it('run in two tRPC batches at once, and the next batch when one of them has ended', async () => {
    const target = '/trpc/test.wait,test.wait?batch=1&input={}';
    const batches = Array.from({ length: 3 }, () => service.callAt('GET', target, { key }));
    await untilRunning(4);
    const [single] = start(1);
    await untilRunning(5);
    end(5);
    await untilRunning(2);
    end(2);
    const statuses = (await Promise.all([...batches, single])).map((response) => response?.status);
    expect(statuses).to.deep.equal([200, 200, 200, 200]);
  });

  it('are refused with 503 beyond those that may wait', async () => {
    const calls = start(runningMax + waitingMax + 1);
    const refused = await Promise.race(calls);
    expect([refused.status, refused.body.error.code]).to.deep.equal([503, 'overloaded']);
    let isOver = false;
    const all = Promise.all(calls).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      end(running.length);
      await new Promise(setImmediate);
    }
    expect((await all).filter(({ status }) => status === 200)).to.have.lengthOf(runningMax + waitingMax);
  });
});
