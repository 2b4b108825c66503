/** Attacks that would end or stall the process: each is refused before it costs much, and others are served meanwhile. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { bodyBytesMax, openTicketsMax, visitorBodyBytesMax } from '../../../models/bounds.ts';
import { openAccount } from '../../support/account.ts';
import { eventually } from '../../support/eventually.ts';
import {
  bodyOfManyFields,
  largeBatch,
  largestBody,
  longestPages,
  type RawRequest,
  type SendOptions,
  type SentRequest,
  sendHostile,
  signInBatch,
} from '../../support/hostile-client.ts';
import { useService } from '../../support/service.ts';

const megabyte = 1024 * 1024;

describe('a hostile client', () => {
  const service = useService({
    rateLimitPerMinute: 1_000_000,
    config: { requestBytesMax: 1.25 * megabyte, trustProxy: true },
  });
  let ordinaryKey: string;
  const sent: SentRequest[] = [];

  before(async () => {
    ({ secret: ordinaryKey } = await service.addKey());
  });
  afterEach('an ordinary caller is served', async () => {
    for (const { socket } of sent.splice(0)) socket.destroy();
    expect((await service.call('GET', '/me', { key: ordinaryKey })).status).to.equal(200);
  });

  const send = (request: RawRequest, sendOptions: SendOptions = {}) => {
    const one = sendHostile(service.url, request, sendOptions);
    sent.push(one);
    return one;
  };

  /** A response that arrives before the last byte of the body proves that the body was not parsed. */
  const statusBeforeEnd = (request: RawRequest) => send(request, { isHeldBack: true }).status;

  it('leaves no long paths in memory', async () => {
    const readHeap = () => {
      setFlagsFromString('--expose-gc');
      runInNewContext('gc')();
      return process.memoryUsage().heapUsed;
    };
    const ask = (count: number, end = '') =>
      service.call('GET', `/tickets/${count}${end}`, { key: ordinaryKey });
    for (let count = 0; count < 100; count += 1) await ask(count);
    const before = readHeap();
    for (let count = 0; count < 600; count += 1) await ask(count, 'a'.repeat(15_000));
    expect(readHeap() - before).to.be.below(12 * megabyte);
  });

  it('gets 400 for sign-in batches of 4 MiB at the account page before their bodies have arrived', async () => {
    const statuses = Array.from({ length: 12 }, () => statusBeforeEnd(signInBatch()));
    expect(new Set(await Promise.all(statuses))).to.deep.equal(new Set([400]));
  });

  it('gets 413 for bodies too large for a form at the account page', async () => {
    const body = JSON.stringify({ email: 'ann@example.com', password: 'x'.repeat(visitorBodyBytesMax) });
    const target = 'POST /account/trpc/session.signIn';
    expect(await statusBeforeEnd({ target, body })).to.equal(413);
    expect(await statusBeforeEnd({ target, body, isChunked: true })).to.equal(413);
  });

  for (const target of ['POST /api/v1/tickets', 'POST /trpc/tickets.create', 'POST /mcp'])
    it(`gets 401 or 413 for 450,000 fields without a key at ${target} before the body has arrived`, async () => {
      const body = bodyOfManyFields();
      expect(await statusBeforeEnd({ target, body })).to.be.oneOf([401, 413]);
      expect(await statusBeforeEnd({ target, body, isChunked: true })).to.be.oneOf([401, 413]);
    });

  it('gets 400 for a body with too many fields, sent with a key', async () => {
    const body = bodyOfManyFields(25_000);
    expect(await send({ target: 'POST /api/v1/tickets', key: ordinaryKey, body }).status).to.equal(400);
  });

  it('gets 503 overloaded when all bodies exceed the memory limit of the process, until the others end', async () => {
    const body = largestBody(bodyBytesMax);
    const target = 'POST /api/v1/tickets';
    const held: SentRequest[] = [];
    const statusOfAnother = () => send({ target, key: ordinaryKey, body }).status;
    await eventually(async () => {
      const { secret: key } = await service.addKey();
      held.push(send({ target, key, body }, { isHeldBack: true }));
      expect(await statusOfAnother()).to.equal(503);
    });
    for (const { socket } of held) socket.destroy();
    await eventually(async () => expect(await statusOfAnother()).to.equal(400));
  });

  it('gets 429 rate_limited beyond its share of that limit, and others can still send', async () => {
    const body = largestBody(bodyBytesMax);
    const target = 'POST /api/v1/tickets';
    const { secret: key } = await service.addKey();
    await eventually(async () => {
      send({ target, key, body }, { isHeldBack: true });
      expect(await send({ target, key, body }).status).to.equal(429);
    });
    expect(await send({ target, key: ordinaryKey, body }).status).to.equal(400);
  });

  it('gets 503 overloaded when all callers without a key use half of that limit, and users can still send', async () => {
    const body = largestBody(visitorBodyBytesMax);
    const form = { target: 'POST /account/trpc/session.signIn', body };
    const visit = (index: number) =>
      send({ ...form, address: `127.0.1.${index % 20}` }, { isHeldBack: true }).status;
    expect(await Promise.race(Array.from({ length: 200 }, (_, index) => visit(index + 1)))).to.equal(503);
    const largest = { target: 'POST /api/v1/tickets', key: ordinaryKey, body: largestBody(bodyBytesMax) };
    expect(await send(largest).status).to.equal(400);
  });

  it('gets 400 for a body in thousands of small chunks before it ends, and is disconnected', async () => {
    const body = largestBody(8000);
    for (const target of ['POST /api/v1/tickets', 'POST /mcp', 'POST /account/trpc/session.signIn']) {
      const { socket, status } = send({ target, key: ordinaryKey, body, isChunked: true, chunkBytes: 1 });
      expect(await status).to.equal(400);
      await eventually(async () => expect(socket.closed).to.equal(true));
    }
  });

  it('gets 401 without a key for a body in chunks of any size, and is disconnected after a thousand', async () => {
    const body = largestBody(8000);
    for (const target of ['POST /api/v1/tickets', 'POST /mcp']) {
      const { socket, status } = send({ target, body, isChunked: true, chunkBytes: 1 });
      expect(await status).to.equal(401);
      await eventually(async () => expect(socket.closed).to.equal(true));
    }
  });

  it('gains no memory by sending small chunks, and others can still send', async () => {
    const { secret: key } = await service.addKey();
    const target = 'POST /api/v1/tickets';
    const endless = { target, key, body: 'x'.repeat(900), isChunked: true, chunkBytes: 1 };
    for (let count = 0; count < 50; count += 1) send(endless);
    expect(await send({ target, key, body: '{}' }).status).to.equal(400);
    expect(await send({ target, key: ordinaryKey, body: largestBody(bodyBytesMax) }).status).to.equal(400);
  });

  it('gets 503 with Retry-After for sign-ins beyond the queue for password hashing', async () => {
    const signIn = (index: number) =>
      openAccount(service.url).call(
        'session.signIn',
        { email: `user${index}@example.com`, password: 'wrong' },
        { 'X-Forwarded-For': `203.0.113.${index}` },
      );
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => signIn(index)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([401, 503]));
    for (const { headers, body } of answers.filter(({ status }) => status === 503)) {
      expect(body.error.data.code).to.equal('overloaded');
      expect(Number(headers.get('Retry-After'))).to.be.within(1, 61);
    }
  });

  it('gets errors for the last calls of a tool batch whose response would fill the memory', async () => {
    const { secret, user } = await service.addKey();
    const noService = { serviceName: null, serviceReference: null, serviceType: null };
    const ticket = { ...noService, userId: user._id, keyId: 'key', text: 'x', now: new Date() };
    const subject = '😀'.repeat(200);
    await Promise.all(
      Array.from({ length: openTicketsMax }, () => service.models.tickets.open({ ...ticket, subject })),
    );
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_my_tickets' } };
    const answer = await service.callAt('POST', '/mcp', { key: secret, body: Array(50).fill(message) });
    expect(answer.text.length).to.be.lessThan(6 * 1024 * 1024);
    expect(answer.body.at(-1).result.isError).to.equal(true);
  });

  for (const name of [{ toString: 1, valueOf: 1 }, [[['deep']]], null, '\u001b[2J\ud800'])
    it(`gets -32602 for an invalid tool name: ${JSON.stringify(name)}`, async () => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } };
      const answer = await service.callAt('POST', '/mcp', { key: ordinaryKey, body });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.error.code).to.equal(-32602);
      expect(answer.body.error.message).not.to.include('\u001b');
    });

  describe('that requests large responses', () => {
    let key: string;
    let readerId: number;

    before(async () => {
      const reader = await service.addKey();
      [key, readerId] = [reader.secret, reader.user._id];
      const user = await service.addUser({ isAdmin: true });
      const { secret } = await service.addKey({ user });
      const body = { title: 'Large', message: 'x'.repeat(9000), status: 'published' };
      for (let count = 0; count < 100; count += 1)
        await service.call('POST', '/admin/announcements', { key: secret, body });
    });

    it('gets 400 for the calls of a tRPC batch whose results exceed 4 MiB', async () => {
      const { target } = largeBatch(longestPages(40));
      const { text, body } = await service.callAt('GET', target.replace('GET ', ''), { key });
      expect(text.length).to.be.below(5 * megabyte);
      const codes = body.map(({ error }: { error?: { data: { code: string } } }) => error?.data.code ?? 'ok');
      expect(codes.filter((code: string) => code === 'ok')).to.have.lengthOf(4);
      expect(codes.at(-1)).to.equal('bad_request');
      expect(JSON.stringify(body.at(-1))).to.include('send this call again on its own');
      await service.flushAudit();
      const audited = (await service.models.auditEntries.list({ limit: 1000 })).filter(
        ({ userId, operation }) => userId === readerId && operation === 'announcements.list',
      );
      const told = audited.map(({ status, code }) => (status === 200 ? 'ok' : code));
      expect(told).to.have.members(codes);
    });

    it('gets 429 rate_limited while it leaves responses unread, and others are served', async () => {
      const statuses: number[] = [];
      for (let count = 0; count < 20 && !statuses.includes(429); count += 1) {
        send({ ...largeBatch(longestPages(40)), key }, { bytesPerSecond: 0, times: 8 });
        statuses.push(await send({ ...largeBatch(longestPages(40)), key }).status);
      }
      expect(statuses).to.include(429);
      expect(await send({ ...largeBatch(longestPages(40)), key: ordinaryKey }).status).to.equal(207);
    });
  });
});
