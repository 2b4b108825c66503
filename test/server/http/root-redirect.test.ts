/** What a request for the bare address gets. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { useService } from '../../support/service.ts';

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('/', () => {
  const service = useService();

  const ask = (method: string, Accept: string) =>
    fetch(`${service.url}/`, { method, headers: { Accept }, redirect: 'manual' });

  it('302: a browser is sent to the docs', async () => {
    const { status, headers } = await ask('GET', browserAccept);
    expect([status, headers.get('Location')]).to.deep.equal([302, '/api/v1/docs']);
    expect(headers.get('Vary')).to.match(/\bAccept\b/);
  });

  for (const accept of ['*/*', 'application/json', 'application/json, text/html'])
    it(`404 not_found: ${accept}, which a program asks for, and no page`, async () => {
      expectError(
        await service.callAt('GET', '/', { headers: { Accept: accept } }),
        'not_found',
        'Page not found',
      );
    });

  it('404 not_found: a browser that sends something', async () => {
    expect((await ask('POST', browserAccept)).status).to.equal(404);
  });
});
