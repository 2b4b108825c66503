/** Response headers for browsers and proxies: which pages may call, what a response may do, and who called. */
import { createServer, type RequestOptions, request } from 'node:http';
import { expect } from 'chai';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { listenLocally } from '../../support/local-server.ts';
import { apiOperations } from '../../support/samples.ts';
import { useService } from '../../support/service.ts';

const origin = 'https://app.example.com';

function rawHeadersOf(url: string, options: RequestOptions): Promise<string[]> {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => {
      response.resume().once('end', () => resolve(response.rawHeaders));
    })
      .once('error', reject)
      .end();
  });
}

/** Only Set-Cookie may appear more than once. */
function expectOnce(what: string, rawHeaders: string[]): void {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const twice = names.filter((name, index) => name !== 'set-cookie' && names.indexOf(name) !== index);
  expect(twice, what).to.deep.equal([]);
}

describe('response headers', () => {
  describe('of an API closed to pages', () => {
    const service = useService({ hasApps: true });

    it('allow no origin', async () => {
      const { headers } = await service.call('GET', '/openapi.json', { headers: { Origin: origin } });
      expect(headers.has('Access-Control-Allow-Origin')).to.equal(false);
      expect(headers.get('Vary'), 'for every origin the answer is the same').to.equal('Accept-Encoding');
    });

    it('forbid browsers every use of a response, errors included', async () => {
      for (const path of ['/openapi.json', '/me', '/nothing']) {
        const { headers } = await service.call('GET', path);
        expect(headers.get('Content-Security-Policy')).to.equal("default-src 'none';frame-ancestors 'none'");
        expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
        expect(headers.has('X-Powered-By')).to.equal(false);
        expect(headers.has('Strict-Transport-Security')).to.equal(false);
      }
    });

    it('are those of helmet with a policy that lets pages do nothing', async () => {
      const app = new Koa().use(
        helmet({
          contentSecurityPolicy: {
            useDefaults: false,
            directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
          },
          crossOriginResourcePolicy: { policy: 'cross-origin' },
          strictTransportSecurity: false,
          xFrameOptions: { action: 'deny' },
        }),
      );
      const server = await listenLocally(createServer(app.callback()));
      const { headers: expected } = await fetch(server.url);
      await server.stop();
      const { headers } = await service.call('GET', '/me');
      const own = ['connection', 'content-length', 'content-type', 'date', 'keep-alive'];
      for (const [name, value] of expected)
        if (!own.includes(name)) expect(headers.get(name), name).to.equal(value);
    });

    it('appear once each in every response', async () => {
      const { secret } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
      const api = ['/me', '/announcements', '/tickets/1/reply', '/docs', '/openapi.json', '/nothing'];
      const account = ['/account/', '/account/trpc/session.get', '/token'];
      const wellKnown = ['oauth-protected-resource', 'oauth-authorization-server'];
      for (const path of [
        ...api.map((path) => `/api/v1${path}`),
        ...account,
        ...wellKnown.map((name) => `/.well-known/${name}`),
        ...['/', '/healthz', '/mcp', '/openapi.json', '/trpc/account.me'],
      ])
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST'])
          for (const headers of [{ 'X-API-Key': secret }, { Origin: origin }])
            expectOnce(`${method} ${path}`, await rawHeadersOf(service.url, { path, method, headers }));
    });

    it('ignore the address that a caller claims', async () => {
      const { secret } = await service.addKey();
      await service.call('GET', '/me', { key: secret, headers: { 'X-Forwarded-For': '203.0.113.7' } });
      await service.flushAudit();
      const [entry] = await service.models.auditEntries.list({ limit: 1 });
      expect(entry?.address).to.equal('127.0.0.1');
    });
  });

  describe('of an API outside production', () => {
    const own = ['http://localhost:5173', 'https://localhost', 'http://127.0.0.1:3001', 'http://[::1]:8080'];
    const others = ['http://localhost.example.com', 'https://evil.example.com', 'null', 'file://localhost'];
    const config = { admitsLoopbackPages: true, publicUrl: 'https://api.example.com' };
    const service = useService({ config });

    async function originFor(path: string, Origin: string) {
      const headers = { Origin, 'Access-Control-Request-Method': 'POST' };
      const answer = await service.callAt('OPTIONS', path, { headers });
      return answer.headers.get('Access-Control-Allow-Origin');
    }

    it('allow every origin on this machine, for front-end development, and no other', async () => {
      for (const path of ['/api/v1/me', '/trpc/account.me', '/mcp'])
        for (const Origin of own) expect(await originFor(path, Origin), path).to.equal(Origin);
      for (const Origin of others) expect(await originFor('/api/v1/me', Origin)).to.equal(null);
    });

    it('let pages of this machine call the tools of /mcp', async () => {
      const { secret } = await service.addKey();
      for (const Origin of own) {
        const headers = { 'X-API-Key': secret, Origin };
        const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
        expect((await service.callAt('POST', '/mcp', { headers, body })).status).to.equal(200);
      }
    });
  });

  describe('of an API behind a proxy with one allowed origin', () => {
    const service = useService({
      config: { corsOrigins: [origin], trustProxy: true, publicUrl: 'https://api.example.com' },
    });

    it('allow the origin and list what its pages may read, on errors too', async () => {
      for (const path of ['/openapi.json', '/me']) {
        const { headers } = await service.call('GET', path, { headers: { Origin: origin } });
        expect(headers.get('Access-Control-Allow-Origin')).to.equal(origin);
        expect(headers.get('Access-Control-Expose-Headers')).to.match(
          /X-Request-Id.*X-RateLimit-Remaining.*Retry-After/,
        );
        expect(headers.has('Access-Control-Allow-Credentials')).to.equal(false);
      }
    });

    it('answer a preflight, which has no key', async () => {
      const asked = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
      const { status, headers } = await service.call('OPTIONS', '/tickets', { headers: asked });
      expect(status).to.equal(204);
      expect(headers.get('Access-Control-Allow-Headers')).to.match(/Authorization.*X-API-Key.*Content-Type/);
      const allowed = headers.get('Access-Control-Allow-Methods')?.split(',');
      expect(allowed).to.include.members(apiOperations.map(({ method }) => method));
    });

    it('allow no other origin', async () => {
      for (const other of ['https://evil.example.com', `${origin}.evil.com`, 'null']) {
        const { headers } = await service.call('GET', '/openapi.json', { headers: { Origin: other } });
        expect(headers.has('Access-Control-Allow-Origin')).to.equal(false);
      }
    });

    it('require https for later visits', async () => {
      const { headers } = await service.call('GET', '/openapi.json');
      expect(headers.get('Strict-Transport-Security')).to.match(/^max-age=\d{7,}/);
    });

    it("trust the caller's address from the proxy, and not what the caller told the proxy", async () => {
      const { secret } = await service.addKey();
      const headers = { 'X-Forwarded-For': '198.51.100.9, 203.0.113.7' };
      await service.call('GET', '/me', { key: secret, headers });
      await service.flushAudit();
      const [entry] = await service.models.auditEntries.list({ limit: 1 });
      expect(entry?.address).to.equal('203.0.113.7');
    });
  });
});
