/** The account page's files: what a browser may do with them, and how long it keeps them. */
import { expect } from 'chai';
import { startTestService, type TestService } from '../../support/service.ts';

describe('GET /account', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  const types = {
    '/account': 'text/html; charset=utf-8',
    '/account/': 'text/html; charset=utf-8',
    '/account/page.js': 'text/javascript; charset=utf-8',
    '/account/page.css': 'text/css; charset=utf-8',
    '/account/icon.svg': 'image/svg+xml',
  };
  for (const [path, type] of Object.entries(types))
    it(`200: ${path} is ${type}`, async () => {
      const { status, headers, text } = await service.callAt('GET', path);
      expect([status, headers.get('Content-Type')]).to.deep.equal([200, type]);
      expect(text).not.to.equal('');
    });

  it('allows scripts and styles of its own files only, and no frame around it', async () => {
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

  it('has no script and no style of its own in the page, as the policy would not run them', async () => {
    const { text } = await service.callAt('GET', '/account');
    expect(text).not.to.match(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
  });

  it('304 with the ETag it gave, 200 with another', async () => {
    const { headers } = await service.callAt('GET', '/account/page.js');
    const etag = headers.get('ETag') ?? '';
    const ask = (given: string) =>
      service.callAt('GET', '/account/page.js', {
        headers: { 'If-None-Match': given, 'Cache-Control': 'max-age=0' },
      });
    expect([(await ask(etag)).status, (await ask('"other"')).status]).to.deep.equal([304, 200]);
    expect(headers.get('Cache-Control')).to.equal('no-cache');
  });

  it('404 not_found: files that are none of the page, its sources among them', async () => {
    for (const path of ['/account/main.tsx', '/account/..%2fapp.ts', '/account/%2e%2e', '/account/a/b']) {
      const { status, body } = await service.callAt('GET', path);
      expect([status, body?.error.code], path).to.deep.equal([404, 'not_found']);
    }
  });
});
