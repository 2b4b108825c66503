/** A path that does not exist, and the path /: a page for browsers, JSON for programs. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { useService } from '../../support/service.ts';

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('a path that does not exist', () => {
  const service = useService();

  const call = (method: string, path: string, headers: Record<string, string>) =>
    service.callAt(method, path, { headers });

  for (const path of ['/nope', '/nope/again?x=<script>', '/account/nope', '/favicon.ico'])
    it(`shows browsers a 404 page at ${path}, with a useful link and nothing from the request`, async () => {
      const { status, headers, text } = await call('GET', path, { Accept: browserAccept });
      expect([status, headers.get('Content-Type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
      expect(headers.get('Vary')).to.match(/\bAccept\b/);
      expect(headers.get('Cache-Control')).to.equal('no-store');
      expect(headers.get('Content-Security-Policy')).to.match(/default-src 'none'/);
      expect(headers.has('X-Request-Id')).to.equal(true);
      expect(text)
        .to.include('<h1>Page not found</h1>')
        .and.include('href="/account"')
        .and.not.match(/nope|<script/);
    });

  for (const path of ['/', '/nope', '/account/nope'])
    for (const Accept of ['*/*', 'application/json', 'application/json, text/html'])
      it(`answers 404 not_found as JSON at ${path} to a program that accepts ${Accept}`, async () => {
        const answer = await call('GET', path, { Accept });
        expectError(answer, 'not_found', 'Page not found');
        expect(answer.headers.get('Vary')).to.match(/\bAccept\b/);
      });

  it('answers HEAD from a browser with the headers of the 404 page and no body', async () => {
    const { status, headers, text } = await call('HEAD', '/nope', { Accept: browserAccept });
    expect([status, headers.get('Content-Type'), text]).to.deep.equal([404, 'text/html; charset=utf-8', '']);
  });

  it('answers 404 not_found as JSON to any call with a key, and the audit shows it to the owner', async () => {
    const { secret, user } = await service.addKey();
    const answer = await call('GET', '/nope', { Accept: browserAccept, 'X-API-Key': secret });
    expectError(answer, 'not_found', 'Page not found');
    await service.flushAudit();
    const [entry] = await service.models.auditEntries.list({ userId: user._id, limit: 1 });
    expect(entry).to.include({ status: 404, code: 'not_found' });
  });
});

describe('the path /', () => {
  const service = useService();

  const ask = (method: string, Accept: string) =>
    fetch(`${service.url}/`, { method, headers: { Accept }, redirect: 'manual' });

  it('redirects browsers to the docs with 302', async () => {
    const { status, headers } = await ask('GET', browserAccept);
    expect([status, headers.get('Location')]).to.deep.equal([302, '/api/v1/docs']);
    expect(headers.get('Vary')).to.match(/\bAccept\b/);
  });

  it('answers 404 not_found to a browser that sends data', async () => {
    expect((await ask('POST', browserAccept)).status).to.equal(404);
  });
});
