/** Receivers that answer improperly: each attempt ends, and holds no resources afterward. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { useStarted } from '../../support/use-started.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

describe('a delivery to a receiver', () => {
  // No attempt here reaches its time limit.
  const service = useStarted(() => startWebhookService({ timeoutMs: 30_000 }));
  const calls = createWebhookCalls(service);
  let receiver: Server;

  afterEach(() => receiver.close());

  /** The outcome of an attempt when the receiver answers each request with these bytes. */
  async function attemptAnsweredWith(bytes: string) {
    receiver = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(bytes));
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const { secret: key } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, `http://127.0.0.1:${port}/`);
    await calls.openTicket(key);
    return (await calls.untilTried(key, webhook.id)).attempts[0];
  }

  const failure = { status: null, error: 'connection' };
  const interim = 'HTTP/1.1 102 Processing\r\n\r\n';
  const endless = `HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n${'x'.repeat(5000)}`;
  for (const [how, bytes, outcome] of [
    [
      'that switches to another protocol fails like one that closes the connection',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n',
      failure,
    ],
    ['that sends endless interim responses ends before its time limit', interim.repeat(100), failure],
    ['whose response never ends succeeds after 4 KiB of it', endless, { status: 200, error: null }],
    [
      'that sends a few interim responses before the final one succeeds',
      `${interim}HTTP/1.1 204 No Content\r\n\r\n`,
      { status: 204, error: null },
    ],
  ] as const)
    it(how, async () => {
      expect(await attemptAnsweredWith(bytes)).to.include(outcome);
    });

  /** A receiver that closes a connection after this number of requests; resolves to the number on each. */
  async function receiveOnEach(requestsMax: number): Promise<number[]> {
    const requests: number[] = [];
    receiver = createServer((socket) => {
      const at = requests.push(0) - 1;
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        if (!bytes.includes('POST ')) return;
        requests[at] = (requests[at] ?? 0) + 1;
        if (requests[at] > requestsMax) socket.destroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    return requests;
  }

  for (const [format, path] of [
    ['standard', '/'],
    ['discord', '/api/webhooks/123/secret'],
  ])
    describe(`in the format ${format}`, () => {
      async function subscribe() {
        const { port } = receiver.address() as AddressInfo;
        const { secret: key } = await service.addKey();
        const url = `http://127.0.0.1:${port}${path}`;
        const { webhook } = await calls.createWebhook(key, url, { format, events: ['ticket.created'] });
        return {
          open: () => calls.openTicket(key),
          untilTried: () => calls.untilTried(key, webhook.id),
          listDeliveries: () => calls.listDeliveries(key, webhook.id),
        };
      }

      it('that closes a kept connection is repeated at once on a new one, as the same attempt', async () => {
        const requests = await receiveOnEach(1);
        const { open, untilTried, listDeliveries } = await subscribe();
        await open();
        await untilTried();
        await open();
        const delivered = await eventually(async () => {
          const deliveries = await listDeliveries();
          expect(deliveries.map(({ status }) => status)).to.deep.equal(['delivered', 'delivered']);
          return deliveries;
        });
        expect(delivered.map(({ attempts }) => attempts.length)).to.deep.equal([1, 1]);
        expect(requests).to.deep.equal([2, 1]);
      });

      it('that closes a new connection fails', async () => {
        const requests = await receiveOnEach(0);
        const { open, untilTried } = await subscribe();
        await open();
        const { attempts } = await untilTried();
        expect(attempts.map(({ error }) => error)).to.deep.equal(['connection']);
        expect(requests).to.deep.equal([1]);
      });
    });
});
