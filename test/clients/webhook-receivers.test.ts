/** The guide's webhook receivers verify events of a real service and reject forged ones. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { type ClientFolder, installFromNpm, requireTool } from '../support/client-tools.ts';
import { eventually } from '../support/eventually.ts';
import { createWebhookCalls } from '../support/webhook-calls.ts';
import { startWebhookService } from '../support/webhook-service.ts';

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

function receiverIn(page: string, language: string): string {
  const section = page.slice(page.indexOf('<h2 id="webhooks">'));
  const [, code = ''] =
    new RegExp(`<code class="language-${language}">(.*?)</code>`, 's').exec(section) ?? [];
  return code.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? '');
}

interface Receiver {
  url: string;
  /** The printed lines, one for each event. */
  lines(): string[];
}

describe("the guide's webhook receiver", () => {
  let service: Awaited<ReturnType<typeof startWebhookService>>;
  let folder: ClientFolder;
  let page: string;
  const running: ChildProcess[] = [];

  before(async () => {
    service = await startWebhookService();
    page = (await service.call('GET', '/docs')).text.replaceAll('<wbr>', '');
    const packages = ['standardwebhooks@1', 'typescript@5.9', '@types/node@20'];
    folder = await installFromNpm('webhook-receivers', packages);
  });
  afterEach(async () => {
    for (const child of running.splice(0)) {
      child.kill();
      await once(child, 'exit');
    }
  });
  after(() => service.stop());

  async function start(program: string, [port, secret]: [port: number, secret: string]): Promise<Receiver> {
    const [command = '', ...args] = program.split(' ');
    const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
    const child = spawn(command, args, { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'ignore'] });
    running.push(child);
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const url = `http://127.0.0.1:${port}`;
    await eventually(() => fetch(url, { method: 'POST', body: 'unsigned' }));
    return { url, lines: () => printed.split('\n').filter(Boolean) };
  }

  /** Adds a webhook and starts a receiver with its secret. */
  async function connect(program: string) {
    const { createWebhook, openTicket, listDeliveries } = createWebhookCalls(service);
    const { secret: key } = await service.addKey();
    const port = await findFreePort();
    const { webhook, secret } = await createWebhook(key, `http://127.0.0.1:${port}/hook`);
    const receiver = await start(program, [port, secret]);
    const path = `/webhooks/${webhook.id}`;
    const untilDelivered = (count: number) =>
      eventually(async () => {
        const deliveries = await listDeliveries(key, webhook.id);
        expect(deliveries.map(({ status }) => status)).to.deep.equal(Array(count).fill('delivered'));
        return deliveries;
      });
    return { receiver, secret, key, path, untilDelivered, openTicket: () => openTicket(key) };
  }

  async function expectToWork(program: string): Promise<void> {
    const { receiver, secret, key, path, untilDelivered, openTicket } = await connect(program);
    const ticket = (await openTicket()).body.ticket;
    const [first] = await untilDelivered(1);
    await service.call('POST', `${path}/deliveries/${first?.id}/redeliver`, { key });
    await untilDelivered(2);
    await service.call('POST', `${path}/rotate-secret`, { key });
    await service.call('POST', `${path}/test`, { key });
    await untilDelivered(3);
    await eventually(async () => expect(receiver.lines()).to.have.lengthOf(2));
    const [created, test] = receiver.lines();
    const shown = JSON.parse(created?.replace('ticket.created ', '') ?? '');
    expect(shown.ticket.id).to.equal(ticket.id);
    expect(test).to.equal('webhook.test {}');
    await expectRefusals(receiver, secret);
  }

  async function expectRefusals({ url, lines }: Receiver, secret: string): Promise<void> {
    const body = '{"type":"made up","data":{}}';
    const post = async (given: { signer: string; at: number; text?: string }) => {
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(given.at / 1000)),
        'webhook-signature': new Webhook(given.signer).sign('evt_1', new Date(given.at), body),
      };
      return (await fetch(url, { method: 'POST', headers, body: given.text ?? body })).status;
    };
    const now = Date.now();
    expect(await post({ signer: `whsec_${btoa('another')}`, at: now }), 'another secret').to.equal(400);
    expect(await post({ signer: secret, at: now - 600_000 }), 'ten minutes ago').to.equal(400);
    expect(await post({ signer: secret, at: now, text: `${body} ` }), 'a changed body').to.equal(400);
    const long = 'x'.repeat(30_000);
    expect(await post({ signer: secret, at: now, text: long }), 'too long').to.be.oneOf([400, 413]);
    expect(lines()).to.have.lengthOf(2);
  }

  it('in TypeScript compiles strictly, verifies each event, handles it once, and rejects forgeries', async () => {
    await folder.write('main.ts', receiverIn(page, 'ts'));
    await folder.run('tsc', []);
    await expectToWork(`${process.execPath} main.js`);
  });

  it('in Python verifies each event, handles it once, and rejects forgeries', async function () {
    await requireTool(this, 'python3', ['--version']);
    await folder.write('receiver.py', receiverIn(page, 'python'));
    await expectToWork('python3 receiver.py');
  });
});
