/** HTTP at /api/v1: methods, paths and request ids. */
import { METHODS } from 'node:http';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.ts';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { apiOperations, sampleOf } from '../support/samples.ts';
import { useSamples } from '../support/use-key.ts';

const missing = 'API key missing: send it as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>"';

/** Paths with their Allow header. */
const paths = [...new Set(apiOperations.map(({ path }) => path))].map((path) => {
  const here = apiOperations.filter((row) => row.path === path);
  const methods = here.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return {
    path,
    sent: `/api/v1${here[0] ? sampleOf(here[0]).path.replace(/\?.*/, '') : path}`,
    allow: [...methods, 'OPTIONS'],
  };
});

describe('REST', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });

  describe('on methods', () => {
    for (const { path, sent, allow } of paths) {
      it(`answers 405 method_not_allowed with Allow on ${path} to all but ${allow.join(', ')}`, async () => {
        const asked = path === '/me' ? METHODS : ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
        const others = asked.filter((method) => ![...allow, 'HEAD', 'CONNECT'].includes(method));
        const send = (method: string) =>
          sendRaw(service.url, requestOf(`${method} ${sent} HTTP/1.1`, { 'X-API-Key': service.key }));
        for (const [index, answer] of (await Promise.all(others.map(send))).entries()) {
          const message = `${others[index]} is not offered here; use ${allow.join(', ')}`;
          expectError(answer, 'method_not_allowed', message);
          expect(answer.headers.get('Allow')).to.equal(allow.join(', '));
        }
      });
    }

    it('answers 204 to OPTIONS of every path without a key', async () => {
      for (const { sent, allow } of paths) {
        const answer = await sendRaw(service.url, requestOf(`OPTIONS ${sent} HTTP/1.1`));
        expect([answer.status, answer.text]).to.deep.equal([204, '']);
        expect(answer.headers.get('Allow')).to.equal(allow.join(', '));
        expect(answer.headers.get('X-Request-Id')).to.match(/^[0-9a-f]{32}$/);
      }
    });

    it('answers 405 with Allow and no body to HEAD of a path without GET', async () => {
      const answer = await service.call('HEAD', '/tickets/1/reply', { key: service.key });
      expect(answer.status).to.equal(405);
      expect(answer.headers.get('Allow')).to.equal('POST, OPTIONS');
      expect(answer.text).to.equal('');
    });

    it('answers 401 unauthorized before 405, so that callers without a key do not learn the methods', async () => {
      expectError(await service.call('DELETE', '/me'), 'unauthorized', missing);
    });

    it('answers 405 method_not_allowed without a key on a path that needs none', async () => {
      const answer = await service.call('POST', '/openapi.json', { body: {} });
      expectError(answer, 'method_not_allowed', 'POST is not offered here; use GET, HEAD, OPTIONS');
    });

    it('accepts a DELETE with no body or an empty object, and refuses fields in the body and the query', async () => {
      const remove = (body?: object, query = '') =>
        service.call('DELETE', `/admin/games/none${query}`, { key: service.key, body });
      for (const body of [undefined, {}]) expectError(await remove(body), 'not_found', 'Game not found');
      for (const refused of [await remove({ force: 1 }), await remove(undefined, '?force=1')])
        expectError(refused, 'bad_request', 'force is not a known field');
    });

    it('refuses CONNECT with the error envelope', async () => {
      const answer = await sendRaw(service.url, requestOf('CONNECT example.com:443 HTTP/1.1'));
      expectError(answer, 'method_not_allowed', 'CONNECT is not offered here');
      const allowed = answer.headers.get('Allow')?.split(', ');
      expect(allowed).to.include.members(['HEAD', 'OPTIONS', ...apiOperations.map(({ method }) => method)]);
    });

    it('treats an offer to change the protocol as an ordinary request', async () => {
      const headers = { Connection: 'Upgrade, close', Upgrade: 'websocket', 'X-API-Key': service.key };
      const answer = await sendRaw(service.url, requestOf('GET /api/v1/me HTTP/1.1', headers));
      expect(answer.status).to.equal(200);
    });
  });

  describe('on paths', () => {
    it('answers 404 not_found to unknown paths, and to known ones in another spelling', async () => {
      const unknown = ['/', '/nothing', '/me/more', '/tickets/1/messages', '/catalog/games//'];
      for (const path of [...unknown, '/ME', '//me', '/tickets//reply', '/%6de'])
        expectError(await service.call('GET', path, { key: service.key }), 'not_found', 'Endpoint not found');
    });

    it('answers 401 unauthorized to an unknown path without a key', async () => {
      expectError(await service.call('GET', '/nothing'), 'unauthorized', missing);
    });

    it('answers 404 not_found to OPTIONS of an unknown path', async () => {
      expectError(await service.call('OPTIONS', '/nothing'), 'not_found', 'Endpoint not found');
    });

    it('answers 404 not_found outside the API, with or without a key', async () => {
      for (const target of ['/', '/favicon.ico', '/api', '/api/v10/me', '/API/V1/me', '/api/v2/me'])
        for (const headers of [{}, { 'X-API-Key': service.key }]) {
          const answer = await sendRaw(service.url, requestOf(`GET ${target} HTTP/1.1`, headers));
          expectError(answer, 'not_found', 'Page not found');
        }
    });

    it('accepts a request target that includes the host', async () => {
      const request = requestOf(`GET ${service.url}/api/v1/me HTTP/1.1`, { 'X-API-Key': service.key });
      expect((await sendRaw(service.url, request)).status).to.equal(200);
    });

    it('answers OPTIONS * with the error envelope', async () => {
      const answer = await sendRaw(service.url, requestOf('OPTIONS * HTTP/1.1'));
      expectError(answer, 'not_found', 'Page not found');
    });
  });

  describe('in X-Request-Id', () => {
    const targets = ['/api/v1/me', '/api/v1/openapi.json', '/api/v1/nothing', '/nothing'];
    const get = (target: string, headers: Record<string, string>) =>
      sendRaw(service.url, requestOf(`GET ${target} HTTP/1.1`, headers));

    it('keeps a valid id in every kind of answer', async () => {
      for (const target of targets)
        for (const id of ['a', 'client-7:42', 'A_b.c:d-9', 'x'.repeat(128)]) {
          expect((await get(target, { 'X-Request-Id': id })).headers.get('X-Request-Id')).to.equal(id);
        }
    });

    it('replaces an invalid id', async () => {
      for (const target of targets)
        for (const id of ['', 'with space', '<script>', 'a,b', 'ü', '"', 'x'.repeat(129)]) {
          const answer = await get(target, { 'X-Request-Id': id });
          expect(answer.headers.get('X-Request-Id')).to.match(/^[0-9a-f]{32}$/);
        }
    });

    it('generates a new id for every request', async () => {
      const answers = await Promise.all(targets.map((target) => get(target, {})));
      expect(new Set(answers.map(({ headers }) => headers.get('X-Request-Id'))).size).to.equal(
        targets.length,
      );
    });
  });
});
