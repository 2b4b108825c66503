/** The hostnames that requests may use: those of this machine, unless the service has its own hostname. */
import { expect } from 'chai';
import { requestOf, sendRaw } from '../../support/raw-http.ts';
import { type TestService, useService } from '../../support/service.ts';

const foreign = [
  ...['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:80', '10.0.0.1'],
  ...['[::2]:3000', '0.0.0.0', '127.0.0.256.1', 'localhost:80:80', 'user@localhost', '<script>'],
];

const own = ['localhost', 'LOCALHOST:3000', '127.0.0.1', '127.8.9.10:1', '[::1]', '[::1]:3000'];

const paths = [
  '/api/v1/catalog/games',
  '/mcp',
  '/trpc/catalog.games',
  '/account',
  '/',
  '/openapi.json',
  '/nothing',
];

describe('a service for this machine only', () => {
  const service = useService();
  const published = useService({ hasApps: true });

  it('refuses every other Host with 421 misdirected_request at every path, with and without PUBLIC_URL', async () => {
    for (const { url } of [service, published])
      for (const Host of foreign)
        for (const path of paths) {
          const { status, body, headers } = await ask(url, path, { Host, 'X-Forwarded-Host': 'localhost' });
          expect([status, Object(body).error?.code], `${Host} ${path}`).to.deep.equal([
            421,
            'misdirected_request',
          ]);
          expect(headers.get('X-Request-Id')).to.match(/./);
        }
  });

  it('accepts its own names at any port', async () => {
    for (const Host of own)
      for (const path of paths)
        expect((await ask(service.url, path, { Host })).status, Host).to.not.equal(421);
  });

  it('answers health probes under any name', async () => {
    for (const path of ['/healthz', '/readyz', '/healthz/'])
      expect((await ask(service.url, path, { Host: 'evil.example' })).status).to.equal(200);
  });
});

describe('a service with its own hostname, or behind a proxy', () => {
  const proxied = useService({ config: { trustProxy: true } });
  const named = useService({ config: { publicUrl: 'https://games.example' } });

  it('accepts any Host', async () => {
    for (const { url } of [proxied, named] as TestService[])
      expect((await ask(url, '/api/v1/me', { Host: 'other.example' })).status).to.equal(401);
  });
});

const ask = (url: string, path: string, headers: Record<string, string>) =>
  sendRaw(url, requestOf(`GET ${path} HTTP/1.1`, headers));
