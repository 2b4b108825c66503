/** The guards before every protocol: authority, addresses, headers and secrets of a request. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { sendHostile } from '../../support/hostile-client.ts';
import { type RawAnswer, requestOf, sendRaw } from '../../support/raw-http.ts';
import { useService } from '../../support/service.ts';

const json = JSON.stringify({ title: 'Lag', message: 'Since noon.' });

describe('a request', () => {
  const service = useService({ logLevel: 'info', config: { trustProxy: true } });

  const holdBody = (path: string, key: string, body: string) =>
    sendHostile(service.url, { target: `POST ${path}`, key, body }, { isHeldBack: true });

  describe('with a delayed body', () => {
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const call = { ...rpc, params: { name: 'create_ticket', arguments: JSON.parse(json) } };
    const bodies = { '/api/v1/tickets': json, '/trpc/tickets.create': json, '/mcp': JSON.stringify(call) };
    for (const [path, body] of Object.entries(bodies))
      it(`is refused with 401 at ${path} if its key was revoked in the meantime`, async () => {
        const { key, secret } = await service.addKey();
        const held = holdBody(path, secret, body);
        await delay(300); // longer than an authentication counts
        await service.models.apiKeys.revoke(key._id, new Date(service.clock.now()));
        held.finish();
        expect(await held.status).to.equal(401);
        expect(await service.models.tickets.list(key.userId)).to.deep.equal([]);
      });

    it('is refused with 403 if its owner is no longer an administrator', async () => {
      const user = await service.addUser({ isAdmin: true });
      const { secret } = await service.addKey({ user, scopes: ['admin:announcements'] });
      const held = holdBody('/api/v1/admin/announcements', secret, json);
      await delay(300);
      const users = service.connection.collection('users');
      await users.updateOne({ _id: user._id as never }, { $set: { isAdmin: false } });
      held.finish();
      expect(await held.status).to.equal(403);
    });
  });

  describe('with input that a library needs quadratic time to read', () => {
    const fields = Array.from({ length: 120 }, (_, index) => `a${index}`).join('&');
    const paths = ['/api/v1/me', '/api/v1/openapi.json', '/api/v1/docs', '/trpc/account.me', '/mcp'];
    for (const path of [...paths, '/account', '/account/trpc/session.current', '/nowhere', '/'])
      it(`is refused at ${path}: a query of more than 100 fields, or a long Accept`, async () => {
        const query = await sendRaw(service.url, requestOf(`GET ${path}?${fields} HTTP/1.1`));
        expect([query.status, query.text]).to.satisfy(isRefusalOf('The query has more than 100 fields'));
        const Accept = `text/html,${'"'.repeat(300)}${','.repeat(300)}`;
        const accept = await sendRaw(service.url, requestOf(`GET ${path} HTTP/1.1`, { Accept }));
        expect([accept.status, accept.text]).to.satisfy(isRefusalOf('Accept is longer than 512 characters'));
      });

    it('is redirected at /openapi.json without being read', async () => {
      const Accept = `text/html,${'"'.repeat(300)}${','.repeat(300)}`;
      const response = await sendRaw(service.url, requestOf('GET /openapi.json HTTP/1.1', { Accept }));
      expect([response.status, response.headers.get('Location')]).to.deep.equal([
        301,
        '/api/v1/openapi.json',
      ]);
      expect(response.text).to.equal('');
    });

    const isRefusalOf =
      (message: string) =>
      ([status, text]: [number, string]) =>
        status === 400 && text.includes(message);
  });

  describe('with a target without a path', () => {
    for (const target of ['http://[::1', 'foo://host', 'http://'])
      it(`is refused with 400 bad_request and a request id, and not logged as a failure: ${target}`, async () => {
        service.logLines.length = 0;
        const response = await sendRaw(service.url, requestOf(`GET ${target} HTTP/1.1`));
        expectRefusal(response, 400, 'The request target is not a path');
        expect(response.headers.get('X-Request-Id')).to.match(/^\w{32}$/);
        expect(service.logLines.join()).not.to.include('"level":50');
      });
  });

  describe('with unusual headers', () => {
    it('is refused with 400 if it has more than 100 headers', async () => {
      const many = Array.from({ length: 120 }, (_, index) => `X-Many-${index}: 1`);
      const response = await sendRaw(
        service.url,
        ['GET /api/v1/me HTTP/1.1', 'Host: localhost', 'Connection: close', ...many, '', ''].join('\r\n'),
      );
      expectRefusal(response, 400, 'The request has more than 100 headers');
    });

    it('is refused if it has a second Authorization header in any position', async () => {
      const { secret } = await service.addKey();
      const bearer = `Authorization: Bearer ${secret}`;
      const many = Array.from({ length: 90 }, (_, index) => `X-Many-${index}: 1`);
      const first = ['GET /api/v1/me HTTP/1.1', 'Host: localhost', 'Connection: close', bearer];
      const response = await sendRaw(service.url, [...first, ...many, bearer, '', ''].join('\r\n'));
      const message = 'API key malformed: Authorization and X-API-Key name different keys';
      expectRefusal(response, 401, message);
    });
  });

  describe('with a key in the wrong place', () => {
    it('never shows the key in the log, the audit or the error', async () => {
      const { key, secret } = await service.addKey({ scopes: ['read:catalog', 'write:tickets'] });
      const masked = `${secret.slice(0, 20)}…`;
      const path = await service.call('GET', `/catalog/games/${secret}`, {
        key: secret,
        headers: { 'X-Request-Id': secret },
      });
      expectError(path, 'not_found', 'Game not found');
      expect(path.headers.get('x-request-id')).not.to.equal(secret);
      await service.call('GET', `/catalog/games/${secret.replace('_', '%5F')}`, { key: secret });
      const field = await service.call('POST', '/tickets', { key: secret, body: { [secret]: 1 } });
      expect(field.body.error.message).to.include(masked).and.not.include(secret);
      await service.flushAudit();
      const entries = await service.models.auditEntries.list({ userId: key.userId, limit: 10 });
      expect(JSON.stringify(entries)).to.include(masked).and.not.include(secret);
      expect(service.logLines.join('')).to.include(masked).and.not.include(secret.slice(20));
    });
  });
});

describe('a connection that its client keeps open', () => {
  const service = useService();

  it('is closed after a refusal', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    await once(socket, 'connect');
    socket.resume().write('NOT HTTP\r\n\r\n');
    await once(socket, 'end');
    // The client keeps its side open, and a write to a closed socket fails.
    const failed = once(socket, 'error').catch((failure: unknown) => failure);
    const writing = setInterval(() => socket.write('x'), 20);
    await failed;
    clearInterval(writing);
    socket.destroy();
  });
});

const expectRefusal = ({ status, body }: RawAnswer, expected: number, message: string) => {
  expect(status).to.equal(expected);
  expect(body).to.have.nested.property('error.message', message);
};

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
