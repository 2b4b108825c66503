/** Which calls the client repeats, when, and with what; and how a call is ended. */
import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { builtClient, importClient } from '../../support/client.ts';
import { failureOf } from '../../support/failure-of.ts';
import { type Fault, startFaultyHost } from '../../support/faulty-host.ts';
import { listenLocally } from '../../support/local-server.ts';
import { useOwner } from '../../support/use-key.ts';
import { useStarted } from '../../support/use-started.ts';

const runFile = promisify(execFile);

type Options = ConstructorParameters<Awaited<ReturnType<typeof importClient>>['Gamehost']>[0];

const busy = (headers: Record<string, string> = {}): Fault => ({ status: 503, headers });
const atOnce = { 'Retry-After': '0' };

describe('the client repeats', () => {
  const service = useOwner({ rateLimitPerMinute: 1_000_000 });
  const host = useStarted(() => startFaultyHost(service.url));

  const connect = async (options: Options = {}) => {
    const { Gamehost } = await importClient();
    return new Gamehost({ baseUrl: host.url, key: service.key, ...options });
  };
  const keysSent = () => host.received.map(({ headers }) => headers['idempotency-key']);
  const ticket = { title: 'Lag', message: 'Since noon.' };

  const countTickets = async (title: string) => {
    const { tickets } = (await service.call('GET', '/tickets', { key: service.key })).body;
    return tickets.filter((each: { subject: string }) => each.subject === title).length;
  };

  it('a read after 429, 502, 503 and a lost answer, at most twice', async () => {
    const { account } = await connect();
    host.answerNext({ status: 429, headers: atOnce }, 'lost');
    expect((await account.getMyProfile()).user.email).to.equal(service.user.email);
    host.answerNext({ status: 502, headers: atOnce }, busy(atOnce), { status: 502 });
    expect(await failureOf(account.getMyProfile())).to.have.property('status', 502);
    expect(host.received).to.have.lengthOf(3);
  });

  it('nothing after another refusal', async () => {
    const { account } = await connect();
    for (const status of [400, 401, 403, 404, 409, 500, 504]) {
      host.answerNext({ status, headers: atOnce });
      expect(await failureOf(account.getMyProfile())).to.have.property('status', status);
      expect(host.received).to.have.lengthOf(1);
    }
  });

  it('nothing with retries: 0, and more with a larger number', async () => {
    host.answerNext(busy(atOnce));
    await failureOf((await connect({ retries: 0 })).account.getMyProfile());
    expect(host.received).to.have.lengthOf(1);
    host.answerNext(...Array(4).fill(busy(atOnce)));
    await (await connect({ retries: 4 })).account.getMyProfile();
    expect(host.received).to.have.lengthOf(5);
  });

  it('a write whose answer is lost or late under its own Idempotency-Key, so that it is done once', async () => {
    const { tickets } = await connect({ timeoutMs: 1_000 });
    host.answerNext('lost', 'late');
    const title = 'An answer is lost';
    const { ticket: created } = await tickets.createTicket({ ...ticket, title });
    expect(created.id).to.be.a('number');
    expect(keysSent()).to.have.lengthOf(3);
    expect(new Set(keysSent())).to.have.lengthOf(1);
    expect(await countTickets(title)).to.equal(1);
  });

  it('a write that an earlier attempt may still be doing: 409 with Retry-After', async () => {
    const { tickets } = await connect();
    host.answerNext('lost', { status: 409, headers: atOnce });
    await tickets.createTicket({ ...ticket, title: 'In progress' });
    expect(new Set(keysSent())).to.have.lengthOf(1);
    expect(await countTickets('In progress')).to.equal(1);
  });

  it('each write under a key of its own, or under the given one', async () => {
    const { tickets } = await connect();
    host.answerNext();
    const first = await tickets.createTicket(ticket);
    await tickets.createTicket(ticket);
    await tickets.createTicket(ticket, { idempotencyKey: 'mine' });
    await tickets.createTicket(ticket, { idempotencyKey: 'mine' });
    await tickets.listMyTickets();
    expect(keysSent()[0]).to.match(/^[0-9a-f-]{36}$/);
    expect(new Set(keysSent())).to.deep.equal(new Set([...keysSent().slice(0, 2), 'mine', undefined]));
    expect(new Set(keysSent())).to.have.lengthOf(4);
    expect(first.ticket.id).to.be.a('number');
  });

  it('a write whose output is a secret after 429 and 503 only, when nothing was done', async () => {
    const { webhooks } = await connect();
    const create = () => webhooks.createWebhook({ url: 'https://example.com/', events: ['*'] });
    host.answerNext({ status: 429, headers: atOnce }, busy(atOnce));
    expect((await create()).secret).to.be.a('string');
    expect(keysSent()).to.deep.equal([undefined, undefined, undefined]);
    for (const fault of ['lost', { status: 502, headers: atOnce }] as const) {
      host.answerNext(fault);
      await failureOf(create());
      expect(host.received).to.have.lengthOf(1);
    }
  });

  it('not sooner than Retry-After says, in seconds or as a date', async () => {
    const { account } = await connect();
    for (const write of [() => '1', () => new Date(Date.now() + 2_000).toUTCString()]) {
      host.answerNext(busy({ 'Retry-After': write() }));
      const startedAt = performance.now();
      await account.getMyProfile();
      expect(performance.now() - startedAt).to.be.above(990);
    }
  });

  it('nothing that Retry-After delays by more than a minute, and says by how much', async () => {
    const { account } = await connect();
    host.answerNext(busy({ 'Retry-After': '61' }));
    expect(await failureOf(account.getMyProfile())).to.include({ status: 503, retryAfterSeconds: 61 });
    host.answerNext(busy({ 'Retry-After': new Date(Date.now() + 90_000).toUTCString() }));
    const { retryAfterSeconds } = (await failureOf(account.getMyProfile())) as never;
    expect(retryAfterSeconds).to.be.within(80, 90);
    expect(host.received).to.have.lengthOf(1);
  });

  describe('and stops', () => {
    it('with the code timeout when no attempt is answered in time', async () => {
      const { account } = await connect({ retries: 1 });
      host.answerNext('late', 'late');
      const failure = await failureOf(account.getMyProfile({}, { timeoutMs: 200 }));
      expect(failure).to.include({ name: 'GamehostError', code: 'timeout', status: null });
      expect(host.received).to.have.lengthOf(2);
    });

    it('in time too when the host closes each connection, which Node itself may never report', async () => {
      const closing = await listenLocally(createServer((connection) => connection.destroy()));
      const program = `
        const { Gamehost } = await import('${await builtClient()}lib/index.js');
        const gamehost = new Gamehost({ baseUrl: '${closing.url}', key: 'k', retries: 0, timeoutMs: 500 });
        await gamehost.servers.listMyServers().catch(({ code }) => console.log(code));`;
      const { stdout } = await runFile(process.execPath, ['--input-type=module', '--eval', program]);
      await closing.stop();
      expect(stdout.trim()).to.be.oneOf(['timeout', 'connection_failed']);
    });

    it('not before the answer when the time is longer than a timer', async () => {
      const { account } = await connect();
      for (const timeoutMs of [2 ** 31, Infinity])
        expect((await account.getMyProfile({}, { timeoutMs })).user.email).to.equal(service.user.email);
    });

    it("with the signal's reason before, during and between attempts, and forgets the signal", async () => {
      const { account } = await connect();
      const reason = new Error('The user left');
      expect(await failureOf(account.getMyProfile({}, { signal: AbortSignal.abort(reason) }))).to.equal(
        reason,
      );
      for (const fault of ['late', busy({ 'Retry-After': '50' })] as const) {
        host.answerNext(fault);
        const leaving = new AbortController();
        const call = failureOf(account.getMyProfile({}, { signal: leaving.signal }));
        setTimeout(() => leaving.abort(reason), 300);
        expect(await call).to.equal(reason);
      }
      const staying = new AbortController();
      host.answerNext(busy(atOnce));
      await account.getMyProfile({}, { signal: staying.signal });
      expect(getEventListeners(staying.signal, 'abort')).to.deep.equal([]);
    });
  });
});
