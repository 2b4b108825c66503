/** Receivers that answer in ways that a proper one does not: each attempt ends, and holds nothing afterward. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

describe('a delivery to a receiver', () => {
  let service: Awaited<ReturnType<typeof startWebhookService>>;
  let calls: ReturnType<typeof createWebhookCalls>;
  let receiver: Server;

  before(async () => {
    // No attempt here waits for its time to be over.
    service = await startWebhookService({ timeoutMs: 30_000 });
    calls = createWebhookCalls(service);
  });
  after(() => service.stop());
  afterEach(() => receiver.close());

  /** How the attempt at a receiver ends that answers each request with these bytes. */
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

  it('that switches to another protocol fails like one that closes the connection', async () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n';
    expect(await attemptAnsweredWith(switching)).to.include({ status: null, error: 'connection' });
  });

  it('that sends one interim response after the other is ended before its time is over', async () => {
    const processing = 'HTTP/1.1 102 Processing\r\n\r\n';
    expect(await attemptAnsweredWith(processing.repeat(100))).to.include({
      ...{ status: null, error: 'connection' },
    });
  });

  it('whose response never ends is a success: no more of it is read than 4 KiB', async () => {
    const endless = `HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n${'x'.repeat(5000)}`;
    expect(await attemptAnsweredWith(endless)).to.include({ status: 200, error: null });
  });

  it('that sends a few interim responses before its own is a success', async () => {
    const accepted = 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n';
    expect(await attemptAnsweredWith(accepted)).to.include({ status: 204, error: null });
  });
});
