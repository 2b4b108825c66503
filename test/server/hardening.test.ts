/** Attacks that once succeeded. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { readConfig } from '../../server/config.ts';
import { createLog } from '../../server/observability/log.ts';
import { startService } from '../../server/service.ts';
import { eventually } from '../support/eventually.ts';
import { testDatabaseUri } from '../support/mongo.ts';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { useService } from '../support/service.ts';

const inFlightMax = 20;

describe('a service under attack', () => {
  const service = useService({ config: { inFlightMax } });
  let key: string;

  before(async () => {
    key = (await service.addKey()).secret;
  });

  const openBodies = async (path: string): Promise<Socket[]> => {
    const { hostname, port } = new URL(service.url);
    const head = [`POST ${path} HTTP/1.1`, `Host: ${hostname}`, `X-API-Key: ${key}`, 'Content-Length: 40'];
    const sockets = Array.from({ length: 2 * inFlightMax }, () => connect(Number(port), hostname));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets)
      socket.on('error', () => {}).write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n{`);
    return sockets;
  };

  for (const path of ['/api/v1/tickets', '/trpc/tickets.create', '/mcp'])
    it(`serves others while many never send the body they promised to ${path}`, async () => {
      const sockets = await openBodies(path);
      await new Promise((resolve) => setTimeout(resolve, 100)); // until most heads have been read
      // A request holds a slot until its head has been read, and is cut off after 15 seconds.
      await eventually(async () => {
        const answer = await service.call('GET', '/key', { key });
        expect(answer.status).to.equal(200);
      }, 10_000);
      for (const socket of sockets) socket.destroy();
    });

  for (const name of [{ toString: 1, valueOf: 1 }, [[['deep']]], null, '\u001b[2J\ud800'])
    it(`tells a tool from a name that is none: ${JSON.stringify(name)}`, async () => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } };
      const answer = await service.callAt('POST', '/mcp', { key, body });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.error.code).to.equal(-32602);
      expect(answer.body.error.message).not.to.include('\u001b');
    });

  it('judges no request by the first of two Authorization headers', async () => {
    const twofold = { Authorization: `Bearer ${key}\r\nAuthorization: Bearer another` };
    const answer = await sendRaw(service.url, requestOf('GET /api/v1/me HTTP/1.1', twofold));
    expect(answer.status).to.equal(401);
  });

  it('lets no cache keep what one key may see', async () => {
    const answer = await service.call('GET', '/me', { key });
    expect(answer.headers.get('Cache-Control')).to.equal('no-store');
  });

  it('ends a batch of reads whose answer would fill the memory', async () => {
    const { secret, user } = await service.addKey();
    const noService = { serviceName: null, serviceReference: null, serviceType: null };
    const ticket = { ...noService, userId: user._id, keyId: 'key', text: 'x', now: new Date() };
    const subject = '😀'.repeat(200);
    await Promise.all(Array.from({ length: 200 }, () => service.models.tickets.open({ ...ticket, subject })));
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_my_tickets' } };
    const answer = await service.callAt('POST', '/mcp', { key: secret, body: Array(50).fill(message) });
    expect(answer.text.length).to.be.lessThan(6 * 1024 * 1024);
    expect(answer.body.at(-1).result.isError).to.equal(true);
  });

  it('refuses a start on a taken port in one sentence, before anything is seeded', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const PORT = String((taken.address() as AddressInfo).port);
    const config = readConfig({ PORT, MONGODB_URI: testDatabaseUri(), SEED_DEMO: 'true' });
    const failure = await startService(config, createLog('silent'), { reportProgress: () => {} }).catch(
      (error) => error,
    );
    taken.close();
    expect(failure.message).to.equal(`Port ${PORT} of 127.0.0.1 is in use. Set PORT to another one.`);
  });
});
