/** More requests than the service can process or queue: it refuses the rest at once and disconnects slow senders. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { testDatabaseUri } from '../../support/mongo.ts';
import { startProgram, type TestProgram } from '../../support/program.ts';
import { parseAnswer } from '../../support/raw-http.ts';
import { addCustomers } from '../customers.ts';
import { type Called, callApi } from './call.ts';
import { record } from './figures.ts';
import { type Reading, readProcess } from './readings.ts';

const inFlightMax = 100;
/** How many connections open at a time: fewer than the limit of concurrent requests. */
const batch = 50;
/** Every five seconds the server looks for requests that have taken fifteen seconds to arrive. */
const requestMsMax = 15_000 + 5_000;

describe('the service under overload', () => {
  let program: TestProgram;
  let keys: string[];
  let atFirst: Reading;

  before(async () => {
    const uri = testDatabaseUri();
    const settings = {
      RATE_LIMIT_PER_MINUTE: '1000000',
      TICKETS_PER_DAY: '0',
      MAX_IN_FLIGHT: String(inFlightMax),
    };
    program = await startProgram({ ...settings, MONGODB_URI: uri, METRICS_PORT: '0' });
    keys = await addCustomers(uri, 50);
    await Promise.all(keys.map((key) => me(key)));
    atFirst = await readProcess(program);
  });
  after(async () => {
    expect(await program.stop()).to.equal(0);
  });
  afterEach('expects that the service answers as before', async () => {
    // The service may still be recording calls whose clients have left.
    await eventually(async () => expect((await me(keys[0])).status).to.equal(200));
    for (const key of keys.slice(0, 5)) expect((await me(key)).status).to.equal(200);
  });

  const me = (key = '') => callApi(program.url, '/me', { key });

  async function open(bytes: string): Promise<Socket> {
    const { hostname, port } = new URL(program.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }

  async function openMany(count: number, bytesOf = (_: number) => ''): Promise<Socket[]> {
    const sockets: Socket[] = [];
    const openNext = (_: unknown, index: number) => open(bytesOf(sockets.length + index));
    while (sockets.length < count)
      sockets.push(...(await Promise.all(Array.from({ length: batch }, openNext))));
    return sockets;
  }

  it('serves or refuses at once ten times as many concurrent requests as allowed', async () => {
    const endAt = performance.now() + 10_000;
    const answers: Called[] = [];
    const insist = async (_: unknown, index: number) => {
      await pass(3 * index); // a thousand connections at once would measure the test's machine
      while (performance.now() < endAt) {
        const answer = await me(keys[index % keys.length]);
        answers.push(answer);
        if (answer.status === 503) await pass(Number(answer.headers.get('Retry-After')) * 1000);
      }
    };
    await Promise.all(Array.from({ length: 10 * inFlightMax }, insist));
    const served = answers.filter(({ status }) => status === 200);
    const shed = answers.filter(({ status }) => status === 503);
    expect(served.length + shed.length, 'nothing but 200 and 503').to.equal(answers.length);
    expect(shed.every(({ headers }) => headers.get('Retry-After') === '1')).to.equal(true);
    expect(served.length).to.be.above(inFlightMax);
    expect(shed.length).to.be.above(0);
    record(`${10 * inFlightMax} at once where ${inFlightMax} may be`, {
      'answers/s': Math.round(served.length / 10),
      'answers of 503': shed.length,
      'longest of them ms': longestOf(shed),
      'longest 200 ms': longestOf(served),
      'RSS MB': (await readProcess(program)).rssMegabytes,
    });
  });

  it('keeps three thousand idle connections cheaply and serves them', async () => {
    const sockets = await openMany(3000);
    const { ms } = await me(keys[0]);
    const { rssMegabytes } = await readProcess(program);
    const [one] = sockets;
    if (!one) throw new Error('no connection was opened');
    one.write(`GET /api/v1/me HTTP/1.1\r\nX-API-Key: ${keys[1]}\r\nConnection: close\r\n\r\n`);
    expect(await text(one)).to.match(/^HTTP\/1\.1 200 OK/);
    for (const socket of sockets) socket.destroy();
    const kilobytesEach = Math.round(((rssMegabytes - atFirst.rssMegabytes) * 1024) / sockets.length);
    record('3000 idle connections', {
      'a call meanwhile ms': Math.round(ms),
      'kB for each, at most': Math.max(0, kilobytesEach),
    });
  });

  it('refuses bodies of a byte a second with the error envelope, and leaves slots for other requests', async () => {
    const count = 2 * inFlightMax;
    // Many customers, as each has a limited share.
    const slow = keys.slice(5);
    const head = (index: number) =>
      `POST /api/v1/tickets HTTP/1.1\r\nX-API-Key: ${slow[index % slow.length]}\r\nContent-Type: application/json\r\n`;
    const startedAt = performance.now();
    const sockets = await openMany(count, (index) => `${head(index)}Content-Length: 1000\r\n\r\n{`);
    const goodbyes = Promise.all(sockets.map((socket) => text(socket)));
    const dribble = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write(' ');
    }, 1000);
    const slowest: number[] = [];
    const isOver = goodbyes.then(() => true);
    while (!(await Promise.race([isOver, pass(500, false)]))) {
      const answer = await me(keys[3]);
      expect(answer.status).to.equal(200);
      slowest.push(answer.ms);
    }
    clearInterval(dribble);
    const tookMs = Math.round(performance.now() - startedAt);
    expect(tookMs).to.be.below(requestMsMax + 5000);
    for (const goodbye of await goodbyes)
      expectError(parseAnswer(goodbye), 'bad_request', 'The request did not arrive in time');
    record(`${count} bodies at a byte a second`, {
      'shown out after ms': tookMs,
      'longest call meanwhile ms': Math.ceil(Math.max(...slowest)),
    });
  });

  it('reads headers up to 16 kB and answers larger ones with 400 and the error envelope, however many clients send them', async () => {
    const headerOf = (bytes: number) =>
      `GET /api/v1/me HTTP/1.1\r\nX-API-Key: ${keys[4]}\r\nConnection: close\r\nX-Long: ${'a'.repeat(bytes)}\r\n\r\n`;
    const small = await openMany(200, () => headerOf(15_000));
    for (const answer of await Promise.all(small.map((socket) => text(socket))))
      expect(answer).to.match(/^HTTP\/1\.1 (200 OK|429 |503 )/);
    const large = await openMany(200, () => headerOf(200_000));
    const refusals = await Promise.all(large.map((socket) => text(socket).catch(() => '')));
    // A client that still sends while the connection closes may only see a reset.
    const told = refusals.filter(Boolean);
    for (const refusal of told)
      expectError(parseAnswer(refusal), 'bad_request', 'The request headers are too large');
    record('400 requests with large headers', { 'refused in words': told.length });
  });
});

const longestOf = (answers: { ms: number }[]) => Math.ceil(Math.max(...answers.map(({ ms }) => ms)));
