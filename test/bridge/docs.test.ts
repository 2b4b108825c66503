/** The docs page over HTTP: its files, caching, security policy and content. */
import { expect } from 'chai';
import { restErrors } from '../../bridge/openapi/responses.ts';
import { notifications } from '../../routers/schemas/event.ts';
import { scopeSentences, scopes } from '../../routers/scopes.ts';
import { expectError } from '../support/expect-error.ts';
import { requestOf, sendRaw } from '../support/raw-http.ts';
import { startTestService, type TestService, useService } from '../support/service.ts';

describe('GET /api/v1/docs', () => {
  const service = useService();
  let page: string;

  before(async () => {
    page = await readDocs(service);
  });

  const types = {
    '/docs': 'text/html; charset=utf-8',
    '/docs/': 'text/html; charset=utf-8',
    '/docs/docs.js': 'text/javascript; charset=utf-8',
    '/docs/docs.css': 'text/css; charset=utf-8',
  };
  for (const [path, type] of Object.entries(types))
    it(`serves ${path} as ${type} without a key, and the same headers without a body to HEAD`, async () => {
      const get = await service.call('GET', path);
      expect([get.status, get.headers.get('Content-Type')]).to.deep.equal([200, type]);
      expect(get.text).not.to.equal('');
      const head = await service.call('HEAD', path);
      expect([head.status, head.text]).to.deep.equal([200, '']);
      for (const name of ['Content-Type', 'ETag', 'Content-Length', 'Content-Security-Policy'])
        expect(head.headers.get(name), name).to.equal(get.headers.get(name));
    });

  it('answers 405 method_not_allowed with Allow to other methods, and 204 to OPTIONS', async () => {
    const Allow = 'GET, HEAD, OPTIONS';
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      const response = await service.call(method, '/docs');
      expectError(response, 'method_not_allowed', `${method} is not offered here; use ${Allow}`);
      expect(response.headers.get('Allow')).to.equal(Allow);
    }
    const { status, headers } = await service.call('OPTIONS', '/docs');
    expect([status, headers.get('Allow')]).to.deep.equal([204, Allow]);
  });

  it('answers 404 not_found to any other path, including its sources and files of the machine', async () => {
    const near = ['main.ts', 'index.htm', 'docs.js/', 'a/b', '../docs.ts', '%2e%2e/docs.ts', '..%2fdocs.ts'];
    for (const name of [...near, '/etc/passwd', '__proto__', 'constructor', '%00', '%']) {
      const request = requestOf(`GET /api/v1/docs/${name} HTTP/1.1`);
      expectError(await sendRaw(service.url, request), 'not_found', 'Page not found');
    }
  });

  it('allows only its own scripts, styles and origin, and no framing', async () => {
    const { headers } = await service.call('GET', '/docs');
    expect(headers.get('Content-Security-Policy')?.split(';')).to.have.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  it('has no inline script, style or event handler', () => {
    expect(page).not.to.match(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
  });

  it('answers 304 to a matching ETag and 200 to another', async () => {
    const { headers } = await service.call('GET', '/docs/docs.js');
    expect(headers.get('Cache-Control')).to.equal('no-cache');
    const request = async (etag: string) => {
      const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
      return (await service.call('GET', '/docs/docs.js', { headers })).status;
    };
    expect([await request(headers.get('ETag') ?? ''), await request('W/"other"')]).to.deep.equal([304, 200]);
  });

  it('compresses files with gzip only when the client accepts it', async () => {
    const request = (encoding: string) =>
      service.call('GET', '/docs/docs.js', { headers: { 'Accept-Encoding': encoding } });
    const [compressed, plain] = await Promise.all([request('br, gzip'), request('identity')]);
    expect([compressed.headers.get('Content-Encoding'), plain.headers.get('Content-Encoding')]).to.deep.equal(
      ['gzip', null],
    );
    expect(compressed.text === plain.text).to.equal(true);
    expect(plain.headers.get('Vary')).to.include('Accept-Encoding');
  });

  describe('contains', () => {
    it('the cause and remedy of each error code', () => {
      for (const { code, status, when } of restErrors) {
        const row = `<td>${status}</td>\\s*<td><code>${code}</code></td>`;
        expect(page).to.match(new RegExp(`${row}\\s*<td>[^<]+</td>\\s*<td>[^<]+`));
        expect(textOf(page)).to.include(textOf(when));
      }
    });

    it('the meaning and the endpoints of each scope', () => {
      for (const scope of scopes) {
        const row = page.split('<tr>').find((part) => part.includes(`<td><code>${scope}</code></td>`));
        expect(textOf(row ?? '')).to.include(textOf(scopeSentences[scope]));
        const paths = service.rows.filter((each) => each.scope === scope).map(({ path }) => path);
        for (const path of paths) expect(row).to.include(` ${path}</code></a>`);
      }
    });

    it('the endpoint of every MCP tool', () => {
      const tools = service.rows.flatMap(({ tool, method, path }) =>
        tool ? [`<td><code>${tool.name}</code></td>\n<td><code>${method} ${path}</code></td>`] : [],
      );
      expect(tools).to.have.length.above(0);
      for (const row of tools) expect(page).to.include(row);
    });

    it('sections on restricted keys, activity and leaked keys, with links to the endpoints', () => {
      const section = page.slice(page.indexOf('id="keys-you-can-trust-with-less"')).split('<h2')[0] ?? '';
      const linked = [...section.matchAll(/href="#operations-[^"]+"><code>([^<]+)</g)].map(
        ([, path]) => path,
      );
      expect(linked).to.deep.equal(['GET /activity', 'GET /activity/summary', 'POST /credentials/revoke']);
      expect(textOf(section))
        .to.match(/403\s+forbidden_address/)
        .and.include('/api/v1/credentials/revoke');
    });

    it('an explanation of each extension that the OpenAPI document has', async () => {
      const { text } = await service.call('GET', '/openapi.json');
      const names = new Set([...text.matchAll(/"(x-[\w-]+)":/g)].map(([, name]) => name));
      expect([...names]).to.include.members(['x-pagination', 'x-extensible-enum', 'x-agentic-access']);
      for (const name of names) expect(page).to.include(`<code>${name}`);
    });

    it("the clients for TypeScript, the terminal and Python with the host's own address", () => {
      const section = textOf(page.slice(page.indexOf('id="clients"')).split('<h2')[0] ?? '');
      expect(section)
        .to.include(`new Gamehost({ baseUrl: '${service.url}', key: process.env.GAMEHOST_KEY })`)
        .and.include(`gamehost login --url ${service.url} --key -`)
        .and.include(`Gamehost(base_url="${service.url}", key=os.environ["GAMEHOST_KEY"])`);
    });

    it('a table of contents with every section and endpoint', () => {
      const contents = page.slice(page.indexOf('id="contents"'), page.indexOf('<main'));
      const sections = [...page.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id);
      const named = 'clients authentication scopes errors idempotency limits mcp'.split(' ');
      expect(sections).to.include.members(named);
      for (const id of sections) expect(contents).to.include(`href="#${id}"`);
      for (const { summary } of service.rows)
        expect(contents).to.include(`</span> ${summary.replaceAll("'", '&#39;')}</a>`);
    });
  });

  it('explains sign-in for agents and in the terminal, receiving webhooks and when each event is sent, only where they are offered', async () => {
    const other = await startTestService({ hasApps: true, config: { hasWebhooks: false } });
    const text = await readDocs(other);
    await other.stop();
    expect(text).to.include('Agents need no key here').and.not.include('id="webhooks"');
    expect(page).to.include('id="webhooks"').and.not.include('Agents need no key here');
    for (const { type, sentence } of notifications.events)
      expect(textOf(page)).to.match(new RegExp(`${type}\\s+${sentence.replace(/[.]/g, '\\.')}`));
    expect(textOf(text)).to.include(`gamehost login --url ${other.url}\n`);
    expect(text).to.include(`${other.url}/mcp`).and.not.include('{base_url}');
  });
});

/** Removes the places where a long path may break. */
const readDocs = async ({ call }: TestService): Promise<string> =>
  (await call('GET', '/docs')).text.replaceAll('<wbr>', '');

const textOf = (source: string): string =>
  source
    .replaceAll(/<[^>]+>|`/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"');
