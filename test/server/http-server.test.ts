/** Bytes that never become a request are answered in the envelope too, and none of them stops the service. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createHttpServer } from '../../server/http/server.ts';
import { expectError } from '../support/expect-error.ts';
import { exchangeRaw, requestOf, sendRaw } from '../support/raw-http.ts';
import { startTestService, useService } from '../support/service.ts';

describe('HTTP server', () => {
  const service = useService();

  afterEach('it is alive', async () => {
    expect((await service.call('GET', '/openapi.json')).status).to.equal(200);
  });

  const notHttp = 'The request is not valid HTTP';
  const head = 'POST /api/v1/tickets HTTP/1.1\r\nHost: gamehost\r\n';
  const refused: [what: string, bytes: string | Buffer, message: string][] = [
    ['no HTTP at all', 'hello\r\n\r\n', notHttp],
    ['an unknown method', 'BREW /api/v1/me HTTP/1.1\r\nHost: gamehost\r\n\r\n', notHttp],
    ['a TLS greeting', Buffer.from('16030100a5010000a10303', 'hex'), notHttp],
    ['an HTTP/2 greeting', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', notHttp],
    ['a version that does not exist', 'GET /api/v1/me HTTP/7.3\r\n\r\n', notHttp],
    ['a space in the path', 'GET /api/v1/m e HTTP/1.1\r\n\r\n', notHttp],
    ['a letter in the path that is not encoded', 'GET /api/v1/\u00fc HTTP/1.1\r\n\r\n', notHttp],
    ['a NUL in a header', `${head}X-A: a\0b\r\n\r\n`, notHttp],
    ['a header without a colon', `${head}nonsense\r\n\r\n`, notHttp],
    ['two lengths', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, notHttp],
    ['a length that is none', `${head}Content-Length: many\r\n\r\n`, notHttp],
    [
      'a length and chunks',
      `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      notHttp,
    ],
    ['headers without end', `${head}${'X-A: a\r\n'.repeat(10_000)}`, 'The request headers are too large'],
    [
      'a path without end',
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
      'The request headers are too large',
    ],
  ];
  for (const [what, bytes, message] of refused)
    it(`400 bad_request, and closes the connection: ${what}`, async () => {
      const answer = await sendRaw(service.url, bytes);
      expectError(answer, 'bad_request', message);
      expect(answer.headers.get('Connection')).to.equal('close');
      expect(answer.headers.get('Content-Length')).to.equal(String(Buffer.byteLength(answer.text)));
    });

  const accepted: [what: string, request: string][] = [
    ['without Host', 'GET /api/v1/openapi.json HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['of HTTP/1.0', 'GET /api/v1/openapi.json HTTP/1.0\r\n\r\n'],
    ['that expects something', requestOf('GET /api/v1/openapi.json HTTP/1.1', { Expect: 'miracles' })],
    [
      'with an unexpected body',
      requestOf('GET /api/v1/openapi.json HTTP/1.1', { 'Content-Length': '5' }, 'hello'),
    ],
  ];
  for (const [what, request] of accepted)
    it(`200: a request ${what}`, async () => {
      expect((await sendRaw(service.url, request)).status).to.equal(200);
    });

  it('answers eight requests that are sent ahead, in their order', async () => {
    const { secret } = await service.addKey();
    const request = (id: number, Connection: string) =>
      requestOf('GET /api/v1/key HTTP/1.1', { 'X-API-Key': secret, 'X-Request-Id': `${id}`, Connection });
    const ahead = [1, 2, 3, 4, 5, 6, 7].map((id) => request(id, 'keep-alive')).join('');
    const text = await exchangeRaw(service.url, ahead + request(8, 'close'));
    const answered = [...text.matchAll(/ 200 OK[\s\S]*?X-Request-Id: (\d)/g)].map(([, id]) => id);
    expect(answered.join()).to.equal('1,2,3,4,5,6,7,8');
  });

  it('disconnects who sends more than eight requests ahead, and runs none beyond them', async () => {
    const { key, secret } = await service.addKey();
    const request = requestOf('GET /api/v1/key HTTP/1.1', { 'X-API-Key': secret, Connection: 'keep-alive' });
    await exchangeRaw(service.url, request.repeat(1000));
    await service.flushAudit();
    const entries = await service.models.auditEntries.list({ limit: 1000 });
    expect(entries.filter(({ keyId }) => keyId === key._id).length).to.be.at.most(9);
  });

  it('does not even parse what follows the ninth in a packet of thousands', async () => {
    let parsed = 0;
    const count = () => {
      parsed += 1;
    };
    subscribe('http.server.request.start', count);
    try {
      await exchangeRaw(service.url, 'GET / HTTP/1.1\r\n\r\n'.repeat(3000));
    } finally {
      unsubscribe('http.server.request.start', count);
    }
    expect(parsed).to.be.within(1, 9);
  });

  it('disconnects who leaves too much unread behind a response that is not made yet', async () => {
    const strict = await startTestService({ config: { responseBytesMax: 400 } });
    const { secret } = await strict.addKey({ user: await strict.addUser({ panelUserId: 7 }) });
    let release = () => {};
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    strict.panel.respondWith({ after });
    const get = (path: string) =>
      requestOf(`GET /api/v1${path} HTTP/1.1`, { 'X-API-Key': secret, Connection: 'keep-alive' });
    expect(await exchangeRaw(strict.url, get('/servers') + get('/me'))).to.equal('');
    release();
    await strict.stop();
  });

  it('takes no harm from who hangs up in the middle', async () => {
    const { hostname, port } = new URL(service.url);
    for (const bytes of [
      'GET /api/v1/op',
      `${head}Content-Length: 100\r\n\r\n{`,
      requestOf('GET /api/v1/openapi.json HTTP/1.1'),
    ]) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(bytes);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
  });

  it('keeps an idle connection for longer than proxies do, who would lose a request on one just closed', async () => {
    const { headers } = await service.call('GET', '/openapi.json');
    expect(headers.get('Keep-Alive')).to.equal('timeout=75');
  });

  /** A server with no more patience than a test has. */
  async function listenImpatiently(listener: RequestListener) {
    const patience = { headersTimeout: 40, requestTimeout: 40, connectionsCheckingInterval: 10 };
    const server = createHttpServer(listener, patience).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a listening TCP server has one
    return { server, port };
  }

  it('keeps few of thousands of headers', async () => {
    const { server: counting, port } = await listenImpatiently((req, res) => {
      res.end(String(req.rawHeaders.length));
    });
    const request = `GET / HTTP/1.1\r\nConnection: close\r\n${'ab:\r\n'.repeat(3000)}\r\n`;
    const { status, text: count } = await sendRaw(`http://127.0.0.1:${port}`, request);
    counting.close();
    if (status === 200) expect(Number(count)).to.be.within(202, 500);
    else expect(status).to.equal(400); // newer releases of Node refuse it themselves
  });

  it('takes time between two requests on a connection for time of neither', async () => {
    const { server, port } = await listenImpatiently((_req, res) => void res.end('ok'));
    const socket = connect(port, '127.0.0.1');
    const answers = text(socket);
    socket.write(requestOf('GET / HTTP/1.1', { Connection: 'keep-alive' }));
    await delay(200);
    socket.write(requestOf('GET / HTTP/1.1'));
    expect((await answers).match(/HTTP\/1\.1 200/g)).to.have.lengthOf(2);
    server.close();
  });

  it('answers a request once, though the rest of it never arrives', async () => {
    const { server, port } = await listenImpatiently((_req, res) => void res.end('no'));
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}Content-Length: 100\r\n\r\n{`);
    expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200']);
    server.close();
  });

  it('answers a whole request as it would, whatever bytes follow it, and then closes', async () => {
    const { server, port } = await listenImpatiently((_req, res) => void setImmediate(() => res.end('ok')));
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}Content-Length: 2\r\n\r\n{}nonsense\r\n\r\n`);
    expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200']);
    server.close();
  });

  it('400 bad_request: a request that does not arrive in time', async () => {
    const { server, port } = await listenImpatiently((_req, res) => void res.end());
    const answer = await sendRaw(`http://127.0.0.1:${port}`, 'GET / HTTP/1.1\r\n');
    server.close();
    expectError(answer, 'bad_request', 'The request did not arrive in time');
  });

  it('lives on when clients that ask for a tunnel reset their connections', async () => {
    for (let number = 0; number < 3000; number += 1) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
      socket.resetAndDestroy();
    }
  });

  it('responds to a request before it refuses the tunnel that its client asks for behind it', async () => {
    const request = requestOf('GET /healthz HTTP/1.1', { Connection: 'keep-alive' });
    const responses = await exchangeRaw(service.url, `${request}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(responses).to.match(/^HTTP\/1\.1 200 /);
    expect(responses.match(/HTTP\/1\.1 \d{3} /g)).to.deep.equal(['HTTP/1.1 200 ', 'HTTP/1.1 405 ']);
  });
});
