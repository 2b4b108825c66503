/** The real nginx of docker-compose.yml in front of the service: what it forwards, what it refuses, and how. */
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage, type RequestOptions } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { openAccount } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { createSendMessage, toolCall } from '../support/mcp.ts';
import { startNginx } from '../support/nginx.ts';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { useService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

describe('nginx in front of the service', () => {
  const service = useService({ config: { trustProxy: true }, rateLimitPerMinute: 10_000 });
  const nginx = useStarted(() => startNginx(service.url));
  let key: string;

  before(async () => {
    key = (await service.addKey()).secret;
  });

  const call = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(nginx.url + path, { ...init, headers: { Authorization: `Bearer ${key}`, ...headers } });
  const post = (path: string, body: string, { method = 'POST' } = {}) =>
    call(path, { 'Content-Type': 'application/json' }, { method, body });

  it('accepts its configuration without a warning', () => {
    expect(nginx.verdict).to.include('test is successful').and.not.to.include('[warn]');
  });

  describe('forwards', () => {
    it('calls by REST, tRPC and MCP with their responses', async () => {
      expect((await call('/api/v1/me')).status).to.equal(200);
      expect((await call('/trpc/account.me')).status).to.equal(200);
      const { body } = await createSendMessage(nginx.url)(toolCall('get_my_profile'), { key });
      expect(body.result).to.not.have.property('isError', true);
      const missing = await call('/api/v1/catalog/games/none');
      expect([missing.status, await missing.json()]).to.deep.include({
        error: { code: 'not_found', message: 'Game not found' },
      });
    });

    it('a sign-in to the account page, which its own origin check accepts', async () => {
      const { email } = await service.addUser();
      const account = openAccount(nginx.url);
      const headers = { Origin: nginx.url };
      const answer = await account.call('session.signIn', { email, password: 'correct horse' }, headers);
      expect(answer.status, answer.text).to.equal(200);
      expect((await fetch(`${nginx.url}/account`)).status).to.equal(200);
    });

    it('a request id, and the host that was requested', async () => {
      const answer = await call('/api/v1/openapi.json', { 'X-Request-Id': 'sent-1' });
      expect(answer.headers.get('X-Request-Id')).to.equal('sent-1');
      expect(await describedUrl(answer)).to.equal(`${nginx.url}/api/v1`);
    });

    it('bodies up to 256 KiB, files and calls of tools up to 2 MiB, and tRPC batches up to 4 MiB', async () => {
      const message = 'x'.repeat(200 * 1024);
      expect((await post('/api/v1/tickets', JSON.stringify({ title: 't', message }))).status).to.equal(400);
      const batch = Object.fromEntries([0, 1, 2].map((index) => [index, { title: 't', message }]));
      const path = `/trpc/${Array(3).fill('tickets.create').join()}?batch=1`;
      expect((await post(path, JSON.stringify(batch))).status).to.equal(400);
      const file = JSON.stringify({ file: '/a.txt', content: '\u0001'.repeat(256 * 1024) });
      expect((await post('/api/v1/servers/none/files/content', file, { method: 'PUT' })).status).to.equal(
        404,
      );
      expect((await post('/mcp', file)).status).to.equal(400);
    });
  });

  describe('gives the service', () => {
    const addressOf = async (requestId: string) => {
      const { audit_entries } = service.connection.collections;
      return eventually(async () => {
        await service.flushAudit();
        const entry = await audit_entries?.findOne({ requestId });
        if (!entry) throw new Error('the entry is not stored yet');
        return entry['address'];
      });
    };

    it("the visitor's address, whatever the visitor claims", async () => {
      const forged = {
        'X-Forwarded-For': '203.0.113.9',
        'X-Real-IP': '203.0.113.9',
        Forwarded: 'for=203.0.113.9',
      };
      await call('/api/v1/me', { ...forged, 'X-Request-Id': 'address-1' });
      expect(await addressOf('address-1')).to.equal('127.0.0.1');
      const headers = { ...forged, 'X-Request-Id': 'address-2', Authorization: `Bearer ${key}` };
      await from('127.0.0.2', '/api/v1/me', { headers });
      expect(await addressOf('address-2')).to.equal('127.0.0.2');
    });

    it('the true host and scheme, not those that a visitor makes up', async () => {
      const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
      const answer = await call('/api/v1/openapi.json', forged);
      expect(await describedUrl(answer)).to.equal(`${nginx.url}/api/v1`);
    });
  });

  describe('refuses, in the shape of an API error,', () => {
    it('a body that the service would refuse for its size', async () => {
      const answer = await post('/api/v1/tickets', 'x'.repeat(256 * 1024 + 1));
      await expectRefusal(answer, 413, 'payload_too_large');
    });

    it('headers that are too large, and bytes that are not HTTP', async () => {
      const large = await call('/api/v1/me', { 'X-Filler': 'x'.repeat(20_000) });
      await expectRefusal(large, 400, 'bad_request');
      for (const line of ['GET /api/v1/me HTTP/9.1', 'GET', '\u0000']) {
        const { status, text } = await sendRaw(nginx.url, requestOf(line));
        expect([status, JSON.parse(text).error.code], line).to.deep.equal([400, 'bad_request']);
      }
    });

    it('the paths of its own error pages, and unsupported methods', async () => {
      await expectRefusal(await call('/errors/size'), 404, 'not_found');
      const { status, text } = await sendRaw(nginx.url, requestOf('TRACE / HTTP/1.1'));
      expect([status, JSON.parse(text).error.code]).to.deep.equal([405, 'method_not_allowed']);
    });

    it('a flood from one network, with a 429 and Retry-After, while others are served', async () => {
      const refused = await flood(() => from('127.0.0.3', '/healthz'));
      expect(JSON.parse(refused.text).error.code).to.equal('rate_limited');
      expect(refused.headers['retry-after']).to.equal('1');
      expect((await from('127.0.0.4', '/healthz')).status).to.equal(200);
    });
  });

  describe('without a running service', () => {
    let broken: Server;
    before(async () => {
      broken = createServer((socket) => socket.once('data', () => socket.destroy()));
      await once(broken.listen(0, '127.0.0.1'), 'listening');
    });
    after(() => broken.close());
    const alone = useStarted(() => startNginx(addressOf(broken)));

    it('answers 503 if nothing was done, and 502 if the request was sent', async () => {
      const write = { method: 'POST', body: '{}' };
      await expectRefusal(await fetch(`${alone.url}/api/v1/tickets`, write), 502, 'upstream_error');
      broken.close();
      const answer = await fetch(`${alone.url}/api/v1/tickets`, write);
      expect(answer.headers.get('Retry-After')).to.equal('1');
      await expectRefusal(answer, 503, 'overloaded');
    });
  });

  describe('while the list of containers changes', () => {
    const onlyAgain = (text: string) =>
      text.replace(/(location @again .*?proxy_pass )http:\/\/api;/s, `$1${service.url};`);
    const released = useStarted(async () =>
      startNginx(`http://127.0.0.1:${await findFreePort()}`, onlyAgain),
    );

    it('retries a write with its body if no container has accepted it', async () => {
      const write = {
        method: 'POST',
        body: JSON.stringify({ title: 'Released', message: 'x'.repeat(5000) }),
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
      };
      const answer = await fetch(`${released.url}/api/v1/tickets`, write);
      expect(answer.status).to.equal(201);
      const { tickets } = service.connection.collections;
      expect(await tickets?.countDocuments({ subject: 'Released' })).to.equal(1);
    });
  });

  describe('with a full disk', () => {
    let folder = '';
    const full = useStarted(() =>
      startNginx(service.url, (text) => {
        folder = /client_body_temp_path (\S+);/.exec(text)?.[1] ?? '';
        return text;
      }),
    );
    before(async () => {
      await rm(folder, { recursive: true });
      await writeFile(folder, 'no folder, so that no body can be stored here');
    });

    const send = (path: string, body: RequestInit['body'], options: object = {}) =>
      fetch(full.url + path, {
        ...{ method: 'POST', body: body ?? null, duplex: 'half' },
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
        ...options,
      });
    const ticketOf = (length: number) => JSON.stringify({ title: 'Large', message: 'ä'.repeat(length) });
    const inChunks = (text: string) => new Blob([text]).stream();

    it('forwards bodies of every size, of known and unknown length', async () => {
      for (const length of [1, 5000, 8000, 10_000]) {
        expect((await send('/api/v1/tickets', ticketOf(length))).status, `${length}`).to.equal(201);
        expect((await send('/api/v1/tickets', inChunks(ticketOf(length)))).status).to.equal(201);
      }
      const file = JSON.stringify({ file: '/a.txt', content: '\u0001'.repeat(256 * 1024) });
      const write = { method: 'PUT' };
      expect((await send('/api/v1/servers/none/files/content', file, write)).status).to.equal(404);
      expect((await send('/mcp', file)).status).to.equal(400);
      const batch = JSON.stringify(Array(10).fill({ title: 't', message: 'x'.repeat(200_000) }));
      expect((await send(`/trpc/${Array(10).fill('tickets.create').join()}?batch=1`, batch)).status).to.equal(
        400,
      );
    });

    it('refuses chunked bodies above the largest allowed size', async () => {
      await expectRefusal(
        await send('/mcp', inChunks('x'.repeat(5 * 1024 * 1024))),
        413,
        'payload_too_large',
      );
    });

    it('refuses strangers before their large bodies arrive', async () => {
      for (const path of ['/trpc/tickets.create?batch=1', '/mcp', '/api/v1/tickets']) {
        const bytes = path.startsWith('/api') ? 200_000 : 2_000_000;
        const head = requestOf(`POST ${path} HTTP/1.1`, { 'Content-Length': `${bytes}` });
        const { status } = await sendRaw(full.url, `${head}${'x'.repeat(bytes / 2)}`);
        expect(status, path).to.be.oneOf([401, 413]);
      }
    });
  });

  describe('behind a load balancer named in its configuration', () => {
    const named = (text: string) =>
      text
        .replace('# set_real_ip_from 10.0.0.0/8;', 'set_real_ip_from 127.0.0.1;')
        .replace('# real_ip_header', 'real_ip_header');
    const behind = useStarted(() => startNginx(service.url, named));

    it('limits callers by the network that the balancer saw: an IPv6 /64 counts as one', async () => {
      const ask = (address: string) =>
        fetch(`${behind.url}/healthz`, { headers: { 'X-Forwarded-For': address } });
      let count = 0;
      await flood(() => ask(`2001:db8:0:1:${(count++).toString(16)}::1`));
      expect((await ask('2001:db8:0:2::1')).status).to.equal(200);
    });
  });

  /** GET from another address of this machine. */
  async function from(localAddress: string, path: string, options: RequestOptions = {}) {
    const request = get(nginx.url + path, { ...options, localAddress });
    const [answer] = (await once(request, 'response')) as [IncomingMessage]; // as Node emits it
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }
});

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** The address that the OpenAPI document names. */
async function describedUrl(answer: Response): Promise<string | undefined> {
  const { servers } = (await answer.json()) as { servers: { url: string }[] }; // as its own tests prove
  return servers[0]?.url;
}

/** Sends requests until one gets a 429; all responses before are 200. */
async function flood<Reply extends { status: number | undefined }>(
  ask: () => Promise<Reply>,
): Promise<Reply> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    expect(answers.map(({ status }) => status)).to.satisfy((all: number[]) =>
      all.every((status) => [200, 429].includes(status)),
    );
    const refused = answers.find(({ status }) => status === 429);
    if (refused) return refused;
  }
}

async function expectRefusal(answer: Response, status: number, code: string): Promise<void> {
  const body = (await answer.json()) as { error?: { code: string } };
  expect([answer.status, body.error?.code]).to.deep.equal([status, code]);
  expect(Object.keys(body)).to.deep.equal(['error']);
  expect(answer.headers.get('Content-Type')).to.match(/^application\/json/);
  expect(answer.headers.get('X-Request-Id')).to.match(/^\w{16,}$/);
}
