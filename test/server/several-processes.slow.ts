/** Two real processes on one MongoDB and one Redis act as one service: one limit, one set of keys, and they survive Redis. */
import { expect } from 'chai';
import { openAccount, signInAccount } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import type { TestProgram as Program } from '../support/program.ts';
import { startTestRedis } from '../support/redis.ts';
import { useTwoPrograms } from '../support/two-programs.ts';
import { useStarted } from '../support/use-started.ts';

const perMinute = 120;

describe('two processes', () => {
  const redis = useStarted(startTestRedis);
  const service = useTwoPrograms(() => ({
    REDIS_URL: redis.url,
    LOG_LEVEL: 'info',
    SECRETS_KEY: Buffer.alloc(32, 'webhooks').toString('hex'),
    WEBHOOK_ALLOWED_ADDRESSES: '127.0.0.0/8',
    MAX_IN_FLIGHT: '10000', // one user may hold a tenth of them
  }));
  let one: Program;
  let other: Program;

  before(() => {
    ({ one, other } = service);
  });

  const get = (program: Program, path: string, key: string) =>
    fetch(program.url + path, { headers: { 'X-API-Key': key } });
  const me = async (program: Program, key: string) => (await get(program, '/api/v1/me', key)).status;
  const both = <Outcome>(act: (program: Program) => Promise<Outcome>) => Promise.all([act(one), act(other)]);
  const byTurns = (index: number) => (index % 2 ? other : one);

  /** Sends this number of calls to both in turn, and returns how many were accepted. All others must get 429. */
  async function burst(key: string, calls = 300): Promise<number> {
    const statuses = await Promise.all(Array.from({ length: calls }, (_, index) => me(byTurns(index), key)));
    expect(statuses.filter((status) => status !== 200 && status !== 429)).to.deep.equal([]);
    return statuses.filter((status) => status === 200).length;
  }

  describe('share one limit', () => {
    it('over every protocol, and accept a batch completely or not at all', async () => {
      const { secret } = await service.addKey();
      const batch = `/trpc/${Array(7).fill('account.me').join(',')}?batch=1`;
      const protocols: ((program: Program) => Promise<number>)[] = [
        async (program) => ((await me(program, secret)) === 200 ? 1 : 0),
        async (program) => ((await get(program, batch, secret)).status === 200 ? 7 : 0),
        async ({ url }) => {
          const { body } = await createSendMessage(url)(toolCall('get_my_profile'), { key: secret });
          return body.result.isError ? 0 : 1;
        },
      ];
      const calls = Array.from({ length: 100 }, (_, index) => byTurns(index));
      const counts = await Promise.all(calls.flatMap((program) => protocols.map((speak) => speak(program))));
      const passed = counts.reduce((sum, count) => sum + count);
      expect(passed).to.equal(perMinute);
    });

    it('and report the same remaining calls and reset time', async () => {
      const { secret } = await service.addKey();
      const reset = (await get(one, '/api/v1/me', secret)).headers.get('X-RateLimit-Reset');
      for (const [program, left] of [
        [other, '118'],
        [one, '117'],
      ] as const) {
        const { headers } = await get(program, '/api/v1/me', secret);
        expect(headers.get('X-RateLimit-Remaining')).to.equal(left);
        expect(headers.get('X-RateLimit-Reset')).to.equal(reset);
      }
      await burst(secret, 120);
      const secondsToReset = () => Number(reset) - Date.now() / 1000;
      const most = secondsToReset() + 2; // rounded up, by the clock of Redis
      const { headers } = await get(other, '/api/v1/me', secret);
      expect(headers.get('X-RateLimit-Reset')).to.equal(reset);
      expect(Number(headers.get('Retry-After'))).to.be.within(secondsToReset(), most);
    });

    it('and show calls made at one on the account page of the other, after one sign-in', async () => {
      const user = await service.addUser();
      const { secret } = await service.addKey({ user });
      for (let calls = 0; calls < 20; calls += 1) await me(one, secret);
      const { cookies } = await signInAccount(one.url, user);
      const account = openAccount(other.url);
      for (const [name, value] of cookies) account.cookies.set(name, value);
      const { live } = await account.api.keys.list.query();
      expect(live.map(({ calls_left }) => calls_left)).to.deep.equal([perMinute - 20]);
    });
  });

  describe('soon refuse a key that is', () => {
    /** Calls both with the key until both refuse it. */
    async function isRefusedAfter(secret: string, end: () => Promise<unknown>): Promise<void> {
      expect(await both((program) => me(program, secret))).to.deep.equal([200, 200]);
      await end();
      let statuses: number[];
      do statuses = await both((program) => me(program, secret));
      while (statuses.includes(200));
      expect(statuses).to.deep.equal([401, 401]);
    }

    it('revoked at the other', async () => {
      const { key, secret } = await service.addKey();
      const revoke = () => service.models.apiKeys.revoke(key._id, new Date());
      await isRefusedAfter(secret, revoke);
    });

    it('rotated without overlap, and accept its successor at once', async () => {
      const { key, secret } = await service.addKey();
      let successor = '';
      const rotate = async () => {
        const rotation = { userId: key.userId, id: key._id, overlapMs: 0, allowedScopes: key.scopes };
        const issued = await service.models.transaction((session) =>
          service.models.apiKeys.rotate(rotation, new Date(), session),
        );
        if (typeof issued === 'object') successor = issued.secret;
      };
      await isRefusedAfter(secret, rotate);
      expect(await both((program) => me(program, successor))).to.deep.equal([200, 200]);
    });
  });

  describe('when Redis is killed', () => {
    const outage = /"level":40[^\n]*Redis is unavailable/g;
    const timesLogged = ({ output }: Program) => output().match(outage)?.length ?? 0;

    it('continue with a limit each, log it once, and share one limit again when Redis is back', async () => {
      const { secret } = await service.addKey();
      const before = [timesLogged(one), timesLogged(other)];
      await redis.kill();
      expect(await burst(secret, 400)).to.equal(2 * perMinute);
      expect([timesLogged(one), timesLogged(other)]).to.deep.equal(before.map((times) => times + 1));
      const areBack = both((program) => program.says('Redis is back'));
      await redis.restart();
      await areBack;
      // On a busy machine, one may lose Redis for another moment.
      await eventually(async () => expect(await burst((await service.addKey()).secret)).to.equal(perMinute));
    });

    it('stop in order', async () => {
      await redis.kill();
      expect(await both((program) => program.stop())).to.deep.equal([0, 0]);
    });
  });
});
