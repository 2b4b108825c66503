/** The account page's static files: types, security headers and caching. */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { useService } from '../../support/service.ts';

describe('GET /account', () => {
  const service = useService();

  const types = {
    '/account': 'text/html; charset=utf-8',
    '/account/': 'text/html; charset=utf-8',
    '/account/servers/a1b2c3d4': 'text/html; charset=utf-8',
    '/account/servers/a1b2c3d4/files': 'text/html; charset=utf-8',
    '/account/page.js': 'text/javascript; charset=utf-8',
    '/account/page.css': 'text/css; charset=utf-8',
    '/account/logo': 'image/svg+xml',
  };
  for (const [path, type] of Object.entries(types))
    it(`serves ${path} as ${type}`, async () => {
      const { status, headers, text } = await service.callAt('GET', path);
      expect([status, headers.get('Content-Type')]).to.deep.equal([200, type]);
      expect(text).not.to.equal('');
    });

  it('allows only its own scripts and styles, and no framing', async () => {
    const { headers } = await service.callAt('GET', '/account');
    const policy = (headers.get('Content-Security-Policy') ?? '').split(';');
    expect(policy).to.include.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]);
    expect(policy.join()).not.to.match(/unsafe|http|\*/);
    expect(headers.get('X-Frame-Options')).to.equal('DENY');
    expect(headers.get('Cross-Origin-Resource-Policy')).to.equal('same-origin');
  });

  it('also allows images from where the icons of active games come from', async () => {
    const { secret: key } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const icons = {
      one: { icon: 'https://cdn.example/one.svg' },
      two: { icon: 'https://cdn.example/two.svg' },
      inactive: { icon: 'https://other.example/three.svg', active: false },
      hostile: { icon: "https://a;script-src'b/four.svg" },
      name: { icon: 'five.svg' },
      // Proxies refuse a response whose head is too long.
      long: { icon: `https://${'a'.repeat(1900)}/six.svg` },
    };
    for (const [slug, game] of Object.entries(icons)) {
      const body = { title: slug, ...game };
      expect((await service.call('PUT', `/admin/games/${slug}`, { key, body })).status).to.equal(201);
    }
    const { headers } = await service.callAt('GET', '/account');
    const policy = headers.get('Content-Security-Policy')?.split(';');
    expect(policy).to.include("img-src 'self' data: https://cdn.example");
  });

  it('contains no inline script or style, which the policy would block', async () => {
    const { text } = await service.callAt('GET', '/account');
    expect(text).not.to.match(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
  });

  it('answers 304 to its own ETag and 200 to another', async () => {
    const { headers } = await service.callAt('GET', '/account/page.js');
    const etag = headers.get('ETag') ?? '';
    const ask = (given: string) =>
      service.callAt('GET', '/account/page.js', {
        headers: { 'If-None-Match': given, 'Cache-Control': 'max-age=0' },
      });
    expect([(await ask(etag)).status, (await ask('"other"')).status]).to.deep.equal([304, 200]);
    expect(headers.get('Cache-Control')).to.equal('no-cache');
  });

  it('sends one script first, below 75 kB compressed, and lets browsers keep its later parts', async () => {
    const { text } = await service.callAt('GET', '/account/page.js');
    expect(gzipSync(text).length).to.be.below(75_000);
    expect(text).not.to.match(/^import\b/);
    const names = new Set(text.match(/chunk-\w+\.js/g));
    expect(names).not.to.have.lengthOf(0);
    for (const name of names) {
      const { status, headers } = await service.callAt('GET', `/account/${name}`);
      expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'text/javascript; charset=utf-8']);
      expect(headers.get('Cache-Control')).to.equal('public, max-age=31536000, immutable');
    }
    expect((await service.callAt('GET', '/account/chunk-OLD.js')).status).to.equal(404);
  });

  for (const path of ['/account', '/account/page.js'])
    it(`405 method_not_allowed with Allow: refuses POST ${path}`, async () => {
      const answer = await service.callAt('POST', path, { body: {} });
      expectError(answer, 'method_not_allowed', 'POST is not offered here; use GET, HEAD, OPTIONS');
      expect(answer.headers.get('Allow')).to.equal('GET, HEAD, OPTIONS');
    });

  it('answers 404 to paths that are not files of the page, including its sources', async () => {
    for (const path of [
      '/account/main.tsx',
      '/account/..%2fapp.ts',
      '/account/%2e%2e',
      '/account/a/b',
      '/account/servers/a/b/c',
    ]) {
      const { status, body } = await service.callAt('GET', path);
      expect([status, body?.error.code], path).to.deep.equal([404, 'not_found']);
    }
  });
});
