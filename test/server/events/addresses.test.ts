/** Webhooks reach no address inside a network, however it is written or resolved. */
import { expect } from 'chai';
import { startNameServer } from '../../support/name-server.ts';
import { useForEach, useStarted } from '../../support/use-started.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

const loopback = [
  ...['https://127.0.0.1/', 'https://127.8.9.10/', 'https://127.1/', 'https://2130706433/', 'https://0/'],
  ...['https://0177.0.0.1/', 'https://0x7f.0.0.1/', 'https://0x7f000001/', 'https://127.0.0.1./'],
  ...['https://127。0。0。1/', 'https://１２７.0.0.1/', 'https://①②⑦.⓪.⓪.①/', 'https://%31%32%37.0.0.1/'],
  ...[
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://017700000001/',
  ],
  ...['https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[::127.0.0.1]/'],
  ...['https://[64:ff9b::127.0.0.1]/', 'https://[64:ff9b:1::7f00:1]/', 'https://[2002:7f00:1::]/'],
  ...['https://localhost/', 'https://LOCALHOST./', 'https://hooks.localhost/', 'https://[::]/'],
];
const inside = [
  ...['https://10.0.0.1/', 'https://172.16.0.1/', 'https://192.168.1.1/', 'https://0xc0a80101/'],
  ...[
    'https://169.254.169.254/latest/meta-data/',
    'https://[::ffff:169.254.169.254]/',
    'https://2852039166/',
  ],
  ...['https://100.64.0.1/', 'https://100.127.255.254/', 'https://[fe80::1]/', 'https://[fc00::1]/'],
  ...['https://[fd00:ec2::254]/', 'https://[fec0::1]/', 'https://[2002:a00:1::]/'],
  ...['https://168.63.129.16/', 'https://[::ffff:168.63.129.16]/', 'https://[64:ff9b::a83f:8110]/'],
  ...['https://[64:ff9b::10.0.0.1]/', 'https://[::ffff:10.0.0.1]/', 'https://[2002:c0a8:101::1]/'],
  ...['https://[::10.0.0.1]/', 'https://[::ffff:0:10.0.0.1]/', 'https://[2002:a9fe:a9fe::1]/'],
  ...['https://[64:ff9b::a9fe:a9fe]/', 'https://[64:ff9b:1::a00:1]/', 'https://[fd00::1]/'],
];
const reserved = [
  ...['https://224.0.0.1/', 'https://255.255.255.255/', 'https://240.0.0.1/', 'https://192.0.0.8/'],
  ...['https://192.0.2.1/', 'https://198.51.100.1/', 'https://203.0.113.1/', 'https://198.18.0.1/'],
  ...['https://[ff02::1]/', 'https://[2001:db8::1]/', 'https://[2001:2::1]/', 'https://[2001::1]/'],
  ...['https://[3fff::1]/', 'https://[100::1]/', 'https://[5f00::1]/', 'https://[4000::1]/'],
  ...['https://192.31.196.1/', 'https://192.52.193.1/', 'https://192.88.99.1/', 'https://192.175.48.1/'],
  ...['https://[2001:20::1]/', 'https://[2001:1ff::1]/', 'https://[2620:4f:8000::1]/', 'https://[1::1]/'],
];
const otherwise = [
  ...['http://example.com/', 'ftp://example.com/', 'https://user:password@93.184.216.34/'],
  ...['https://user@93.184.216.34/', 'https://', 'example.com'],
];

describe('webhook addresses', () => {
  const [closed, opened, wide] = [[], ['127.0.0.1/32'], ['0.0.0.0/0', '::/0']].map((allowedAddresses) =>
    useStarted(() => startWebhookService({ allowedAddresses })),
  ) as [Service, Service, Service]; // one each
  type Service = Awaited<ReturnType<typeof startWebhookService>>;
  const receiver = useForEach(startReceiver);
  let addresses: Record<string, string> = {};
  useStarted(() => startNameServer((name) => addresses[name]));

  const create = (key: string, url: string, { call }: Service = closed) =>
    call('POST', '/webhooks', { key, body: { url, events: ['*'] } });

  for (const [kind, urls] of Object.entries({ loopback, inside, reserved, otherwise }))
    it(`are refused with 400 at creation, without naming an address (${kind})`, async () => {
      const { secret: key } = await closed.addKey();
      for (const url of urls) {
        const { status, body } = await create(key, url);
        expect([url, status, body.error?.code]).to.deep.equal([url, 400, 'bad_request']);
        expect(body.error.message).to.match(/^url must [^\d[]+$/);
      }
      expect((await closed.call('GET', '/webhooks', { key })).body.webhooks).to.deep.equal([]);
    });

  it('are accepted with 201 if they are an IPv6 form of a public IPv4 address', async () => {
    const { secret: key } = await closed.addKey();
    const forms = ['[::ffff:93.184.216.34]', '[64:ff9b::5db8:d822]', '[2002:5db8:d822::1]'];
    for (const form of forms)
      expect([form, (await create(key, `https://${form}/hook`)).status]).to.deep.equal([form, 201]);
  });

  it('are refused with 400 at creation and change if their name leads to an internal address', async () => {
    const { secret: key } = await closed.addKey();
    addresses = { 'out.example': '93.184.216.34' };
    const { webhook } = (await create(key, 'https://out.example/hook')).body;
    for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.1.1', '168.63.129.16']) {
      const host = `in-${address.replaceAll('.', '-')}.example`;
      addresses[host] = address;
      const url = `https://${host}/hook`;
      const changed = await closed.call('PATCH', `/webhooks/${webhook.id}`, { key, body: { url } });
      for (const refused of [await create(key, url), changed]) {
        expect(refused.status).to.equal(400);
        expect(refused.text).to.include('public internet').and.not.include(address);
      }
    }
  });

  it('are resolved and checked at each connection, so that a name that now leads inside is not called', async () => {
    const { secret: key } = await closed.addKey();
    addresses = { 'moves.example': '93.184.216.34' };
    const { port } = new URL(receiver.origin);
    const { webhook } = (await create(key, `https://moves.example:${port}/hook`)).body;
    addresses = { 'moves.example': '127.0.0.1' };
    const calls = createWebhookCalls(closed);
    await calls.openTicket(key);
    const delivery = await calls.untilTried(key, webhook.id);
    expect(delivery.attempts[0]).to.include({ status: null, error: 'address' });
    expect(JSON.stringify(delivery)).to.not.include('127.0.0.1');
    expect(receiver.received).to.deep.equal([]);
  });

  it('are not called as targets of redirects, wherever they lead', async () => {
    const elsewhere = await startReceiver();
    const calls = createWebhookCalls(opened);
    for (const status of [301, 302, 303, 307, 308]) {
      const { secret: key } = await opened.addKey();
      const { webhook } = await calls.createWebhook(key, receiver.url);
      receiver.respondWith(status, { Location: elsewhere.url });
      await calls.openTicket(key);
      const { attempts } = await calls.untilTried(key, webhook.id);
      expect(attempts[0]).to.include({ status, error: 'redirect' });
    }
    expect(elsewhere.received).to.deep.equal([]);
    await elsewhere.stop();
  });

  it('stay closed if they are link-local or of cloud metadata, whatever the operator opens', async () => {
    const { secret: key } = await wide.addKey();
    addresses = { 'metadata.example': '169.254.169.254' };
    const link = ['169.254.169.254', '[fe80::1]', '[64:ff9b::169.254.169.254]', '[::ffff:168.63.129.16]'];
    const clouds = [
      ...['100.100.100.200', '168.63.129.16', '192.0.0.192', '[fd00:ec2::254]', '[fd00:ec2::23]'],
      ...['[fd20:ce::254]', '[fd00:c1::a9fe:a9fe]', '[fd00:42::42]', '[fd00:a9fe:a9fe::1]'],
      ...['[fd00:100::100:200]', '[fd20:00ce:0::0254]', '[64:ff9b::192.0.0.192]', '[64:ff9b:1::a9fe:a9fe]'],
    ];
    for (const url of [...link, ...clouds, 'metadata.example'])
      expect([url, (await create(key, `http://${url}/`, wide)).status]).to.deep.equal([url, 400]);
    for (const url of ['10.0.0.1', '192.0.0.193', '[fd20:ce::255]', '[fd00:42::43]'])
      expect([url, (await create(key, `http://${url}/`, wide)).status]).to.deep.equal([url, 201]);
  });

  it('are allowed, over http too, only if they are exactly those that the operator opened', async () => {
    const { secret: key } = await opened.addKey();
    addresses = { 'inside.example': '127.0.0.1', 'near.example': '127.0.0.2' };
    const { port } = new URL(receiver.origin);
    const statusOf = async (url: string) => (await create(key, url, opened)).status;
    expect(await statusOf(`http://inside.example:${port}/`)).to.equal(201);
    expect(await statusOf(receiver.url)).to.equal(201);
    const others = ['http://127.0.0.2/', 'http://93.184.216.34/', 'https://10.0.0.1/'];
    for (const url of [...others, 'http://near.example/'])
      expect([url, await statusOf(url)]).to.deep.equal([url, 400]);
    await createWebhookCalls(opened).openTicket(key);
    const [first, second] = await receiver.waitFor(2);
    expect([first?.path, second?.path].sort()).to.deep.equal(['/', '/hook']);
  });
});
