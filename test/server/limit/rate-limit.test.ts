/** 120 calls a minute and key, counted on the service's clock; a caller who waits until the reset is admitted. */
import { expect } from 'chai';
import { generateSecret } from '../../../models/api-key/secret.ts';
import { MemoryWindows } from '../../../server/limit/limiter.ts';
import { expectError } from '../../support/expect-error.ts';
import { useService } from '../../support/service.ts';

describe('120 calls a minute', () => {
  const service = useService();

  it('pass, and the 121st is refused with 429 rate_limited', async () => {
    const { secret } = await service.addKey();
    const get = () => service.call('GET', '/me', { key: secret });
    const answers = await Promise.all(Array.from({ length: 120 }, get));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const refused = await get();
    const seconds = Number(refused.headers.get('Retry-After'));
    expectError(refused, 'rate_limited', `Rate limit exceeded, retry in ${seconds} s`);
    expect(seconds).to.satisfy(Number.isInteger).and.to.be.within(1, 61);
  });
});

describe('the rate limit', () => {
  /** Lower than the contract's limit, in tests that do not depend on the number. */
  const limit = 10;
  const service = useService({ rateLimitPerMinute: limit });

  const get = (key: string | null, path = '/me') => service.call('GET', path, { key });
  const times = (count: number, key: string) => Promise.all(Array.from({ length: count }, () => get(key)));

  it('admits a caller after Retry-After seconds, and not before', async () => {
    const { secret } = await service.addKey();
    await times(limit, secret);
    const seconds = Number((await get(secret)).headers.get('Retry-After'));
    service.clock.advance((seconds - 2) * 1000);
    expect((await get(secret)).status).to.equal(429);
    service.clock.advance(2000);
    const answer = await get(secret);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('X-RateLimit-Remaining')).to.equal(String(limit - 1));
  });

  it('asks callers to wait at least one second, however near the end is', async () => {
    const { secret } = await service.addKey();
    await times(limit, secret);
    const reset = Number((await get(secret)).headers.get('X-RateLimit-Reset'));
    service.clock.advance(reset * 1000 - service.clock.now() - 500);
    const answer = await get(secret);
    expect(answer.status).to.equal(429);
    expect(answer.headers.get('Retry-After')).to.equal('1');
  });

  it('counts simultaneous calls as exactly as successive ones', async () => {
    const { secret } = await service.addKey();
    const answers = await times(limit + 10, secret);
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(limit);
    const remaining = answers.map(({ headers }) => Number(headers.get('X-RateLimit-Remaining')));
    expect(Math.max(...remaining)).to.equal(limit - 1);
    expect(remaining.filter((left) => left === 0)).to.have.lengthOf(11);
  });

  it('reports limit, remaining and reset in every response to a key, refusals included', async () => {
    const { secret } = await service.addKey();
    await times(limit, secret);
    const { headers } = await get(secret);
    expect(headers.get('X-RateLimit-Limit')).to.equal(String(limit));
    expect(headers.get('X-RateLimit-Remaining')).to.equal('0');
    const secondsToReset = Number(headers.get('X-RateLimit-Reset')) - service.clock.now() / 1000;
    expect(Number(headers.get('Retry-After'))).to.equal(Math.ceil(secondsToReset));
  });

  it('counts each key separately, and all calls of a key together', async () => {
    const { user, secret } = await service.addKey();
    const other = await service.addKey({ user });
    for (const path of ['/me', '/tickets', '/nothing', '/announcements?page=0']) await get(secret, path);
    const remaining = async (key: string) => (await get(key)).headers.get('X-RateLimit-Remaining');
    expect(await remaining(secret)).to.equal(String(limit - 5));
    expect(await remaining(other.secret)).to.equal(String(limit - 1));
  });

  it('neither counts callers without a valid key nor reports a limit to them', async () => {
    for (const key of [null, 'gamehost_live_nonsense', generateSecret()]) {
      const answers = await Promise.all(Array.from({ length: limit + 10 }, () => get(key)));
      for (const { status, headers } of answers) {
        expect(status).to.equal(401);
        expect(headers.has('X-RateLimit-Limit')).to.equal(false);
      }
    }
  });

  it('does not count calls to public paths', async () => {
    const { secret } = await service.addKey();
    await get(secret, '/openapi.json');
    expect((await get(secret)).headers.get('X-RateLimit-Remaining')).to.equal(String(limit - 1));
  });

  it('answers 429 rate_limited to the 241st page or description a minute of all of a user’s keys', async () => {
    const { user, secret } = await service.addKey();
    const other = await service.addKey({ user });
    const paths = ['/api/v1/docs', '/api/v1/openapi.json', '/account'];
    const ask = (key: string, path = '/api/v1/docs') => service.callAt('GET', path, { key });
    for (const path of [...paths, ...Array(237).fill('/api/v1/docs')])
      expect((await ask(secret, path)).status).to.equal(200);
    for (const path of paths) expect((await ask(other.secret, path)).status).to.equal(429);
    expect((await get(secret)).status).to.equal(200);
    expect((await ask((await service.addKey()).secret)).status).to.equal(200);
  });
});

describe('a count in memory', () => {
  const window = { name: 'calls', seconds: 60, max: 120 };

  function createWindows() {
    let now = 1_000_500;
    const windows = new MemoryWindows(() => now, 100);
    const consume = (id: string, calls = 1) => windows.consume({ window, id, calls });
    return { windows, consume, advance: (ms: number) => (now += ms) };
  }

  it('ends its windows on a full second, never early', () => {
    const { consume } = createWindows();
    expect(consume('a')).to.deep.equal({ fits: true, left: 119, resetSeconds: 1061, secondsLeft: 61 });
  });

  it('accepts several calls or none, and refunds no more than it took', () => {
    const { consume } = createWindows();
    consume('a', 100);
    expect(consume('a', 21)).to.include({ fits: false, left: 20 });
    expect(consume('a', 20)).to.include({ fits: true, left: 0 });
    expect(consume('a', -1)).to.include({ fits: true, left: 1 });
    expect(consume('a', -1000)).to.include({ fits: true, left: 120 });
  });

  it('keeps windows of different lengths apart', () => {
    const { windows, consume, advance } = createWindows();
    const hour = { window: { name: 'hour', seconds: 3600, max: 2 }, id: 'hour:a', calls: 1 };
    windows.consume(hour);
    consume('a', 120);
    advance(61_000);
    expect(windows.consume(hour)).to.include({ left: 0, secondsLeft: 3540 });
    expect(consume('a')).to.include({ left: 119 });
  });

  it('remembers recent callers and forgets old ones, so that memory is bounded', () => {
    const { consume } = createWindows();
    consume('once');
    for (let index = 0; index < 300; index += 1) {
      consume(`other ${index}`);
      consume('often');
    }
    expect(consume('once', 0)).to.include({ left: 120 });
    expect(consume('often')).to.include({ fits: false, left: 0 });
  });
});
