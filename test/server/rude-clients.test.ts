/** Slow, many, impatient and disconnected clients affect only their own requests. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { requestOf } from '../support/raw-http.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('a service that rude clients use', () => {
  const inFlightMax = 3;
  let service: TestService;
  let key: string;
  let keys: string[];
  let sockets: Socket[];

  beforeEach(async () => {
    service = await startTestService({ rateLimitPerMinute: 1_000_000, config: { inFlightMax } });
    keys = await Promise.all(
      Array.from({ length: inFlightMax }, async () => (await service.addKey()).secret),
    );
    [key = ''] = keys;
    sockets = [];
  });
  afterEach('others are served, and no place is lost', async () => {
    for (const socket of sockets) socket.destroy();
    // What was asked by those who are gone may still be at work.
    while ((await service.call('GET', '/me', { key })).status === 503) await new Promise(setImmediate);
    for (let round = 0; round < 3; round += 1) {
      const calls = keys.map((each) => service.call('GET', '/me', { key: each }));
      expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    }
    await service.stop();
  });

  async function open(bytes = ''): Promise<Socket> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => {}); // being thrown out is part of the game
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }

  const openMany = (count: number, bytes?: string) =>
    Promise.all(Array.from({ length: count }, () => open(bytes)));

  const served = async () => expect((await service.call('GET', '/me', { key })).status).to.equal(200);

  it('serves others beside two thousand idle connections', async () => {
    for (let batch = 0; batch < 20; batch += 1) await openMany(100);
    await served();
  });

  it('serves others beside hundreds that never end their headers', async () => {
    await openMany(300, 'GET /api/v1/me HTTP/1.1\r\nHost: gamehost\r\nX-Slow: ');
    await served();
  });

  it('serves others beside hundreds without a key that never send their body', async () => {
    const head = 'POST /api/v1/tickets HTTP/1.1\r\nHost: gamehost\r\nContent-Type: application/json\r\n';
    await openMany(300, `${head}Content-Length: 100\r\n\r\n{`);
    await served();
  });

  it('serves others beside one that keeps sending requests and reads nothing', async () => {
    await service.call('GET', '/openapi.json'); // is made when it is first asked for, which takes its time
    const [reader] = await openMany(1);
    reader?.pause();
    const request = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: gamehost\r\n\r\n';
    for (let round = 0; round < 20; round += 1) {
      reader?.write(request.repeat(8));
      await served();
    }
  });

  it('serves others beside those that disconnect at once, with no request or several', async () => {
    const request = requestOf('GET /api/v1/me HTTP/1.1', { 'X-API-Key': key, Connection: 'keep-alive' });
    for (let round = 0; round < 50; round += 1) {
      const socket = await open(request.repeat(round % 5));
      await new Promise(setImmediate);
      socket.resetAndDestroy();
    }
  });
});
