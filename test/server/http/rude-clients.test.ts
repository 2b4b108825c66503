/** Slow, many, impatient and disconnected clients affect only their own requests. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { requestOf } from '../../support/raw-http.ts';
import { useService } from '../../support/service.ts';

describe('a service with rude clients', () => {
  const inFlightMax = 3;
  const service = useService({ rateLimitPerMinute: 1_000_000, config: { inFlightMax } });
  let key: string;
  let keys: string[];
  const sockets: Socket[] = [];

  before(async () => {
    keys = await Promise.all(
      Array.from({ length: inFlightMax }, async () => (await service.addKey()).secret),
    );
    [key = ''] = keys;
  });
  afterEach('others are served, and no place is lost', async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    // Requests of disconnected clients may still be in progress.
    await eventually(async () => {
      const calls = keys.map((each) => service.call('GET', '/me', { key: each }));
      expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    });
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

  /** All places may be taken for the moment that a refusal or the reading of a head takes. */
  const served = () =>
    eventually(async () => expect((await service.call('GET', '/me', { key })).status).to.equal(200));

  const bodyTo = (path: string, headers: Record<string, string> = {}) => {
    const length = { 'Content-Type': 'application/json', 'Content-Length': '100' };
    return requestOf(`POST ${path} HTTP/1.1`, { ...headers, ...length }, '{');
  };
  const withKey = (path: string) => () => bodyTo(path, { 'X-API-Key': key });
  const crowds: Record<string, () => string> = {
    'that are idle': () => '',
    'that never end their headers': () => 'GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
    'without a key that never send their body': () => bodyTo('/api/v1/tickets'),
    'with a key that never send their body to /api/v1/tickets': withKey('/api/v1/tickets'),
    'with a key that never send their body to /trpc/tickets.create': withKey('/trpc/tickets.create'),
    'with a key that never send their body to /mcp': withKey('/mcp'),
  };
  for (const [what, bytesOf] of Object.entries(crowds))
    it(`serves others despite a hundred clients ${what}`, async () => {
      await openMany(100, bytesOf());
      await served();
    });

  it('serves others despite a client that keeps sending requests and reads nothing', async () => {
    await service.call('GET', '/openapi.json'); // the first request generates it, which takes time
    const [reader] = await openMany(1);
    reader?.pause();
    const request = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
    for (let round = 0; round < 20; round += 1) {
      reader?.write(request.repeat(8));
      await served();
    }
  });

  it('serves others despite clients that disconnect before, during or after their requests', async () => {
    const request = requestOf('GET /api/v1/me HTTP/1.1', { 'X-API-Key': key, Connection: 'keep-alive' });
    const beginnings = ['', 'GET /api/v1/op', bodyTo('/api/v1/tickets'), request, request.repeat(3)];
    for (let round = 0; round < 50; round += 1) {
      const socket = await open(beginnings[round % beginnings.length]);
      await new Promise(setImmediate);
      socket.resetAndDestroy();
    }
  });
});
