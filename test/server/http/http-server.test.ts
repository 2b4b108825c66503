/** Bytes that are not a valid request also get an error in the API's shape, and never stop the service. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createHttpServer } from '../../../server/http/server.ts';
import { expectError } from '../../support/expect-error.ts';
import { listenLocally } from '../../support/local-server.ts';
import { exchangeRaw, requestOf, sendRaw } from '../../support/raw-http.ts';
import { startTestService, useService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

const smuggled = 'GET /api/v1/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';
const length = smuggled.length;

/** The bytes between the head and a hidden request, where two readers could see the end of the body in different places. */
const shapes: Record<string, string> = {
  'two lengths': `Content-Length: 2\r\nContent-Length: ${length}\r\n\r\n`,
  'two lengths in one': `Content-Length: 2, ${length}\r\n\r\n`,
  'a length and chunks': `Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks and a length': `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  'a length with a sign': 'Content-Length: +2\r\n\r\n{}',
  'a length in hexadecimal': 'Content-Length: 0x2\r\n\r\n{}',
  'a length that is negative': 'Content-Length: -1\r\n\r\n',
  'a length with a space before the colon': 'Content-Length : 2\r\n\r\n{}',
  'a folded length': `Content-Length:\r\n ${length}\r\n\r\n`,
  'an encoding with a space before the colon': 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
  'an encoding that is none': `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  'chunks that are not last': `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  'a hidden encoding': `X-A: a\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  'a hidden end of the head': `X-A: a\r\r\nContent-Length: 2\r\n\r\n{}`,
  'a chunk size with a sign': 'Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n',
  'a chunk size beyond counting': 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n',
  'a chunk without its end': 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n',
};

describe('the HTTP server', () => {
  const service = useService({ logLevel: 'info' });

  afterEach('it is alive', async () => {
    expect((await service.call('GET', '/openapi.json')).status).to.equal(200);
  });

  const notHttp = 'The request is not valid HTTP';
  const tooLarge = 'The request headers are too large';
  const head = 'POST /api/v1/tickets HTTP/1.1\r\nHost: localhost\r\n';
  const refused: [what: string, bytes: string | Buffer, message: string][] = [
    ['bytes that are not HTTP', 'hello\r\n\r\n', notHttp],
    ['an unknown method', 'BREW /api/v1/me HTTP/1.1\r\nHost: localhost\r\n\r\n', notHttp],
    ['a TLS greeting', Buffer.from('16030100a5010000a10303', 'hex'), notHttp],
    ['an HTTP/2 greeting', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', notHttp],
    ['a version that does not exist', 'GET /api/v1/me HTTP/7.3\r\n\r\n', notHttp],
    ['a space in the path', 'GET /api/v1/m e HTTP/1.1\r\n\r\n', notHttp],
    ['a letter in the path that is not encoded', 'GET /api/v1/\u00fc HTTP/1.1\r\n\r\n', notHttp],
    ['a NUL in a header', `${head}X-A: a\0b\r\n\r\n`, notHttp],
    ['a header without a colon', `${head}nonsense\r\n\r\n`, notHttp],
    ['headers without end', `${head}${'X-A: a\r\n'.repeat(10_000)}`, tooLarge],
    ['a path without end', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`, tooLarge],
  ];
  for (const [what, bytes, message] of refused)
    it(`answers 400 bad_request and closes the connection for ${what}`, async () => {
      const answer = await sendRaw(service.url, bytes);
      expectError(answer, 'bad_request', message);
      expect(answer.headers.get('Connection')).to.equal('close');
      expect(answer.headers.get('Content-Length')).to.equal(String(Buffer.byteLength(answer.text)));
    });

  for (const [shape, rest] of Object.entries(shapes))
    it(`refuses once, closes the connection and never answers a hidden request: ${shape}`, async () => {
      const answers = await exchangeRaw(
        service.url,
        `${head}Content-Type: application/json\r\n${rest}${smuggled}`,
      );
      // A valid head may be refused for its missing key before its body is found to be invalid.
      expect(answers.match(/HTTP\/1\.1 \d{3}/g)?.join()).to.be.oneOf(['HTTP/1.1 400', 'HTTP/1.1 401']);
      expect(service.logLines.join()).not.to.include('smuggled');
    });

  const get = 'GET /api/v1/openapi.json HTTP/1.1';
  const accepted = [
    ['without Host', `${get}\r\nConnection: close\r\n\r\n`],
    ['of HTTP/1.0', 'GET /api/v1/openapi.json HTTP/1.0\r\n\r\n'],
    ['that expects something', requestOf(get, { Expect: 'miracles' })],
    ['with an unexpected body', requestOf(get, { 'Content-Length': '5' }, 'hello')],
  ] as const;
  for (const [what, request] of accepted)
    it(`answers 200 to a request ${what}`, async () => {
      expect((await sendRaw(service.url, request)).status).to.equal(200);
    });

  it('answers eight pipelined requests in order', async () => {
    const { secret } = await service.addKey();
    const request = (id: number, Connection: string) =>
      requestOf('GET /api/v1/key HTTP/1.1', { 'X-API-Key': secret, 'X-Request-Id': `${id}`, Connection });
    const ahead = [1, 2, 3, 4, 5, 6, 7].map((id) => request(id, 'keep-alive')).join('');
    const text = await exchangeRaw(service.url, ahead + request(8, 'close'));
    const answered = [...text.matchAll(/ 200 OK[\s\S]*?X-Request-Id: (\d)/g)].map(([, id]) => id);
    expect(answered.join()).to.equal('1,2,3,4,5,6,7,8');
  });

  it('disconnects a client that pipelines more than eight requests, and runs none of the others', async () => {
    const { key, secret } = await service.addKey();
    const request = requestOf('GET /api/v1/key HTTP/1.1', { 'X-API-Key': secret, Connection: 'keep-alive' });
    await exchangeRaw(service.url, request.repeat(1000));
    await service.flushAudit();
    const entries = await service.models.auditEntries.list({ limit: 1000 });
    expect(entries.filter(({ keyId }) => keyId === key._id).length).to.be.at.most(9);
  });

  it('does not parse the requests after the ninth in a packet of thousands', async () => {
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

  it('disconnects a client that sends too much while its first response is pending', async () => {
    const strict = await startTestService({ config: { responseBytesMax: 400 } });
    const { secret } = await strict.addKey({ user: await strict.addUser({ panelUserId: 7 }) });
    strict.panel.respondWith('hang');
    const get = (path: string) =>
      requestOf(`GET /api/v1${path} HTTP/1.1`, { 'X-API-Key': secret, Connection: 'keep-alive' });
    expect(await exchangeRaw(strict.url, get('/servers') + get('/me'))).to.equal('');
    await strict.stop();
  });

  it('keeps idle connections longer than proxies do, which would lose requests on closed ones', async () => {
    const { headers } = await service.call('GET', '/openapi.json');
    expect(headers.get('Keep-Alive')).to.equal('timeout=75');
  });

  describe('with short timeouts', () => {
    let respond: RequestListener;
    const server = useStarted(() => {
      const patience = { headersTimeout: 40, requestTimeout: 40, connectionsCheckingInterval: 10 };
      return listenLocally(createHttpServer((req, res) => respond(req, res), patience));
    });
    const statusesOf = (answers: string) => answers.match(/HTTP\/1\.1 \d+/g);

    it('keeps only a few of thousands of headers', async () => {
      respond = (req, res) => void res.end(String(req.rawHeaders.length));
      const request = `GET / HTTP/1.1\r\nConnection: close\r\n${'ab:\r\n'.repeat(3000)}\r\n`;
      const { status, text: count } = await sendRaw(server.url, request);
      if (status === 200) expect(Number(count)).to.be.within(202, 500);
      else expect(status).to.equal(400); // newer releases of Node refuse it themselves
    });

    it('counts idle time between two requests toward neither', async () => {
      respond = (_req, res) => void res.end('ok');
      const socket = connect(server.port, '127.0.0.1');
      const answers = text(socket);
      socket.write(requestOf('GET / HTTP/1.1', { Connection: 'keep-alive' }));
      await delay(200);
      socket.write(requestOf('GET / HTTP/1.1'));
      expect(statusesOf(await answers)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 200']);
    });

    for (const [title, rest] of [
      ['a request once, though the rest of it never arrives', 'Content-Length: 100\r\n\r\n{'],
      [
        'a complete request normally, whatever bytes follow it, and then closes',
        'Content-Length: 2\r\n\r\n{}nonsense\r\n\r\n',
      ],
    ] as const)
      it(`answers ${title}`, async () => {
        respond = (_req, res) => void setImmediate(() => res.end('ok'));
        expect(statusesOf(await exchangeRaw(server.url, head + rest))).to.deep.equal(['HTTP/1.1 200']);
      });

    it('closes an unused connection without a response, which a browser could take for its first', async () => {
      const socket = connect(server.port, '127.0.0.1');
      expect(await text(socket)).to.equal('');
    });

    it('answers 400 bad_request to a request that arrives too slowly', async () => {
      const answer = await sendRaw(server.url, 'GET / HTTP/1.1\r\n');
      expectError(answer, 'bad_request', 'The request did not arrive in time');
    });
  });

  it('survives clients that request a tunnel and reset their connections', async () => {
    for (let number = 0; number < 500; number += 1) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write('CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
      socket.resetAndDestroy();
    }
  });

  it('answers a request before it refuses the tunnel requested behind it', async () => {
    const request = requestOf('GET /healthz HTTP/1.1', { Connection: 'keep-alive' });
    const responses = await exchangeRaw(
      service.url,
      `${request}CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    expect(responses).to.match(/^HTTP\/1\.1 200 /);
    expect(responses.match(/HTTP\/1\.1 \d{3} /g)).to.deep.equal(['HTTP/1.1 200 ', 'HTTP/1.1 405 ']);
  });
});
