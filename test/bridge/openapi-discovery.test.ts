/** How clients find the OpenAPI document, and the server URL in it. */
import { expect } from 'chai';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { useService } from '../support/service.ts';

describe('the address of the OpenAPI document', () => {
  const service = useService();

  const serverOf = (headers: Record<string, string>) => serverFrom(service.url, headers);

  it('has the host of the request', async () => {
    expect(await serverOf({ Host: 'localhost' })).to.equal('http://localhost/api/v1');
    expect(await serverOf({ Host: 'LocalHost:8443' })).to.equal('http://localhost:8443/api/v1');
    expect(await serverOf({ Host: '[::1]:3000' })).to.equal('http://[::1]:3000/api/v1');
  });

  it('ignores X-Forwarded-Host and X-Forwarded-Proto without a trusted proxy', async () => {
    const forwarded = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
    expect(await serverOf({ Host: 'localhost', ...forwarded })).to.equal('http://localhost/api/v1');
  });

  it('is linked by every response, as are the docs', async () => {
    for (const path of ['/me', '/openapi.json', '/nowhere'])
      expect((await service.call('GET', path)).headers.get('Link'), path).to.equal(
        '</api/v1/openapi.json>; rel="service-desc", </api/v1/docs>; rel="service-doc", </.well-known/api-catalog>; rel="api-catalog"',
      );
  });

  it('is the target of a 301 from /openapi.json, which keeps the query', async () => {
    const { status, headers } = await fetch(`${service.url}/openapi.json?version=3.0`, {
      redirect: 'manual',
    });
    expect([status, headers.get('Location')]).to.deep.equal([301, '/api/v1/openapi.json?version=3.0']);
  });
});

describe('a service behind a proxy with many host names', () => {
  const service = useService({ config: { trustProxy: true } });

  const get = async (path: string, Host: string) => {
    const { headers, body } = await sendRaw(service.url, requestOf(`GET ${path} HTTP/1.1`, { Host }));
    return { etag: headers.get('ETag'), body: body as { servers: { url: string }[] } };
  };

  it('builds its document and docs for each of the first seven names, and once, with relative addresses, for all others', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `host${index}.example`);
    for (const path of ['/api/v1/openapi.json', '/api/v1/openapi.json?version=3.0', '/api/v1/docs']) {
      const etags = [];
      for (const name of [...names, ...names]) etags.push((await get(path, name)).etag);
      expect(new Set(etags.slice(0, 7)).size).to.equal(7);
      expect(new Set(etags.slice(7, 9)).size).to.equal(1);
      expect(etags.slice(9)).to.deep.equal(etags.slice(0, 9));
    }
    const { body } = await get('/api/v1/openapi.json', 'other.example');
    expect(body.servers).to.deep.equal([{ url: '/api/v1' }]);
  });

  describe('before its first requests', () => {
    const fresh = useService({ config: { trustProxy: true } });

    it('names its own address in reply to a malformed Host', async () => {
      const malformed = [
        '<script>',
        'a b',
        'evil.example/x?',
        'a"b',
        '',
        '..',
        'a:b',
        'a'.repeat(300),
        'localhost:99999',
        '1.2.3.4.5',
        '[::::]',
        'xn--a',
      ];
      for (const Host of malformed)
        expect(await serverFrom(fresh.url, { Host }), Host).to.equal(`${fresh.url}/api/v1`);
    });
  });
});

async function serverFrom(url: string, headers: Record<string, string>) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const request = ['GET /api/v1/openapi.json HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n');
  const { body } = await sendRaw(url, request);
  return (body as { servers: { url: string }[] }).servers[0]?.url; // raw answers are untyped
}
