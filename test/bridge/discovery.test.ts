/** The documents through which programs find and understand the service, checked against their specifications. */
import { hash } from 'node:crypto';
import { expect } from 'chai';
import { parse } from 'yaml';
import { createCli } from '../support/cli.ts';
import { expectError } from '../support/expect-error.ts';
import { findSchemaErrors } from '../support/json-schemas.ts';
import { startTestService, useService } from '../support/service.ts';

const publicUrl = 'https://api.games.example';
const securityContact = 'mailto:security@games.example';

const paths = {
  '/llms.txt': 'text/plain; charset=utf-8',
  '/llms-full.txt': 'text/plain; charset=utf-8',
  '/api/v1/docs.md': 'text/markdown; charset=utf-8',
  '/api/v1/docs/errors.md': 'text/markdown; charset=utf-8',
  '/api/v1/docs/endpoints-servers.md': 'text/markdown; charset=utf-8',
  '/.well-known/api-catalog': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  '/mcp/server-card': 'application/mcp-server-card+json',
  '/.well-known/mcp/server-card.json': 'application/mcp-server-card+json',
  '/.well-known/mcp/catalog.json': 'application/json; charset=utf-8',
  '/.well-known/agent-skills/index.json': 'application/json; charset=utf-8',
  '/.well-known/agent-skills/gamehost/SKILL.md': 'text/markdown; charset=utf-8',
  '/.well-known/security.txt': 'text/plain; charset=utf-8',
  '/robots.txt': 'text/plain; charset=utf-8',
  '/sitemap.xml': 'application/xml; charset=utf-8',
};

describe('documents for programs', () => {
  const service = useService({ config: { publicUrl, securityContact } });
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.callAt('GET', path, { headers });
  /** JSON under a more specific media type. */
  const getJson = async (path: string) => JSON.parse((await get(path)).text);
  /** Moves an address that a document names to the service of this test. */
  const follow = (address: string) => get(address.replace(publicUrl, ''));

  for (const [path, type] of Object.entries(paths))
    it(`include ${path} as ${type}, without a key and with an ETag`, async () => {
      const { status, headers, text } = await get(path);
      expect([status, headers.get('Content-Type')]).to.deep.equal([200, type]);
      expect(headers.get('Cache-Control')).to.equal('no-cache');
      const known = { 'If-None-Match': headers.get('ETag') ?? '', 'Cache-Control': 'max-age=0' };
      expect((await get(path, known)).status).to.equal(304);
      const head = await service.callAt('HEAD', path);
      expect([head.status, head.text, head.headers.get('ETag')]).to.deep.equal([
        200,
        '',
        headers.get('ETag'),
      ]);
      expect(text).not.to.include('undefined');
      expectError(
        await service.callAt('POST', path),
        'method_not_allowed',
        'POST is not offered here; use GET, HEAD, OPTIONS',
      );
    });

  it('are readable by pages of any origin, as the MCP documents must be', async () => {
    for (const path of ['/mcp/server-card', '/.well-known/mcp/catalog.json', '/llms.txt']) {
      const { headers } = await get(path);
      expect(headers.get('Access-Control-Allow-Origin'), path).to.equal('*');
      expect(headers.get('Access-Control-Allow-Methods'), path).to.equal('GET');
    }
  });

  it('link only to pages that exist', async () => {
    for (const path of Object.keys(paths)) {
      const { text } = await get(path);
      const linked = [...text.matchAll(/\]\(([^)\s]+)\)|"(?:href|url|src|websiteUrl)": "([^"]+)"/g)];
      const own = linked
        .map(([, inMarkdown, inJson]) => inMarkdown ?? inJson ?? '')
        .filter((address) => address.startsWith(publicUrl) && !address.endsWith('/mcp'))
        .map((address) => address.replace(/#.*/, ''));
      for (const address of new Set(own))
        expect((await follow(address)).status, `${path} -> ${address}`).to.be.oneOf([200, 302, 401]);
      expect(linked.map(([link]) => link).filter((link) => /\]\([#/]/.test(link))).to.deep.equal([]);
    }
  });

  describe('include /llms.txt, which', () => {
    it('has a title, a summary and sections of links with a sentence each, the operators’ last', async () => {
      const { text } = await get('/llms.txt');
      const [title, , summary] = text.split('\n');
      expect(title).to.equal('# gamehost API');
      expect(summary).to.match(/^> .{40,}\.$/);
      const sections = text.split(/^## /m).slice(1);
      expect(sections.map((section) => section.split('\n')[0])).to.deep.equal([
        ...['Guide', 'Endpoints', 'Machine-readable', 'Optional'],
      ]);
      for (const line of sections.flatMap((section) => section.trim().split('\n').slice(2)))
        expect(line).to.match(/^- \[[^\]]+\]\(https:\/\/[^)]+\): .+[.:]$/);
      expect(sections[0]).to.include(`${publicUrl}/api/v1/docs/clients.md`);
      expect(sections[3]).to.include('endpoints-admin.md').and.include('endpoints-support.md');
    });
  });

  describe('include the Markdown docs, which', () => {
    it('show every endpoint with its scope, and a sample for each customer endpoint', async () => {
      const { text } = await get('/api/v1/docs.md');
      for (const { method, path, summary, scope } of service.rows) {
        const part = text.split(`### ${method} /api/v1${path}\n`)[1]?.split('\n### ')[0] ?? '';
        expect(part, path).to.include(`**${summary}.**`);
        if (scope?.startsWith('admin:')) continue;
        expect(part, path)
          .to.include(`${publicUrl}/api/v1${path.split('{')[0]}`)
          .and.include('```sh\ncurl ');
      }
    });

    it('mark lists that may be null', async () => {
      const { text } = await get('/api/v1/docs.md');
      expect(text).to.include('names: Array<string> | null; // The names of the players');
    });

    it('are the same at /llms-full.txt and, for Accept: text/markdown, at the docs page', async () => {
      const { text } = await get('/api/v1/docs.md');
      expect((await get('/llms-full.txt')).text).to.equal(text);
      const negotiated = await get('/api/v1/docs', { Accept: 'text/markdown, text/html;q=0.5' });
      expect(negotiated.text).to.equal(text);
      expect(negotiated.headers.get('Vary')).to.include('Accept');
      for (const Accept of ['*/*', 'text/html', 'text/html,text/markdown;q=0.9'])
        expect((await get('/api/v1/docs', { Accept })).headers.get('Content-Type')).to.include('text/html');
    });

    it('answer 404 not_found to a section that does not exist', async () => {
      expectError(await get('/api/v1/docs/nonsense.md'), 'not_found', 'Page not found');
    });
  });

  it('include a linkset of both APIs at /.well-known/api-catalog (RFC 9264), linked by every response', async () => {
    const body = await getJson('/.well-known/api-catalog');
    expect(findSchemaErrors('linkset', body)).to.equal(null);
    expect(body.linkset[1]['service-doc']).to.deep.include({
      ...{ href: `${publicUrl}/api/v1/docs/clients.md`, type: 'text/markdown', title: 'Clients' },
    });
    expect(body.linkset[0].item.map(({ href }: { href: string }) => href)).to.deep.equal([
      `${publicUrl}/api/v1`,
      `${publicUrl}/mcp`,
    ]);
    for (const { href } of body.linkset[0].item)
      expect(body.linkset.some(({ anchor }: { anchor: string }) => anchor === href)).to.equal(true);
    expect((await get('/me')).headers.get('Link')).to.include(
      '</.well-known/api-catalog>; rel="api-catalog"',
    );
  });

  it('include a valid card of the MCP server, which the catalog names and which agrees with the server', async () => {
    const { body: catalog } = await get('/.well-known/mcp/catalog.json');
    expect(findSchemaErrors('mcpCatalog', catalog)).to.equal(null);
    const [entry] = catalog.entries;
    expect(entry.identifier).to.equal('urn:air:api.games.example:gamehost');
    const card = JSON.parse((await follow(entry.url)).text);
    expect(findSchemaErrors('serverCard', card)).to.equal(null);
    expect(card.name).to.equal('example.games.api/gamehost');
    const { secret } = await service.addKey();
    const discover = await service.callAt('POST', '/mcp', {
      key: secret,
      body: {
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      },
    });
    const { serverInfo, protocolVersion } = discover.body.result;
    expect(card).to.include({ title: serverInfo.title, version: serverInfo.version });
    expect(card.remotes[0].supportedProtocolVersions).to.include.members([protocolVersion, '2026-07-28']);
    expect(card.remotes[0].url).to.equal(`${publicUrl}/mcp`);
    expect(await getJson('/.well-known/mcp/server-card.json')).to.deep.equal(card);
  });

  it('agree with the server.json that the command line prints for the MCP registry', async () => {
    const { remotes, ...card } = await getJson('/mcp/server-card');
    const name = 'example.games/panel';
    const cli = createCli({ PUBLIC_URL: publicUrl, MONGODB_URI: 'mongodb://127.0.0.1:1/never-asked' });
    const printed = JSON.parse(await cli.text(`mcp server-json --name ${name}`));
    expect(findSchemaErrors('serverJson', printed)).to.equal(null);
    expect(printed).to.deep.equal({
      ...{ ...card, $schema: printed.$schema, name },
      remotes: [{ type: remotes[0].type, url: remotes[0].url }],
    });
  });

  it('include /robots.txt, which closes only the account page and sign-in, and names sitemap and content signals', async () => {
    expect((await get('/robots.txt')).text).to.equal(`User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
Allow: /account/logo
Disallow: /account
Disallow: /oauth/
Allow: /

Sitemap: ${publicUrl}/sitemap.xml
`);
  });

  it('include /sitemap.xml, which lists each public document once by its address', async () => {
    const { text } = await get('/sitemap.xml');
    const lines = text.trim().split('\n');
    expect([...lines.slice(0, 2), lines.at(-1)]).to.deep.equal([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      '</urlset>',
    ]);
    const addresses = lines.slice(2, -1).map((line) => {
      const [, address = ''] = /^ {2}<url><loc>(https:[^<>&"']+)<\/loc><\/url>$/.exec(line) ?? [];
      return address;
    });
    expect(new Set(addresses).size).to.equal(addresses.length);
    for (const address of addresses) expect((await follow(address)).status, address).to.equal(200);
    const known = ['/api/v1/docs', '/api/v1/openapi.json', '/api/v1/docs/errors.md', '/llms.txt'];
    expect(addresses).to.include.members(known.map((path) => publicUrl + path));
    expect(addresses.join()).not.to.match(/\/account|\/oauth/);
  });

  it('include an index of skills with the digest of the served skill and the text of its front matter', async () => {
    const { body } = await get('/.well-known/agent-skills/index.json');
    expect(findSchemaErrors('skills', body)).to.equal(null);
    const [{ name, description, url, digest }] = body.skills;
    const { text } = await follow(url);
    expect(digest).to.equal(`sha256:${hash('sha256', text)}`);
    const [, frontMatter = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
    expect(parse(frontMatter)).to.deep.equal({ name, description });
    expect(url).to.include(`/${name}/SKILL.md`);
    expect(text.split('\n').length).to.be.below(500);
    expect(text).to.include(`GAMEHOST_URL=${publicUrl}`);
  });

  it('include /.well-known/security.txt with contact, canonical address and an expiry within a year (RFC 9116)', async () => {
    const { text } = await get('/.well-known/security.txt');
    const fields = text
      .trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string]);
    expect(new Set(fields.map(([name]) => name)).size).to.equal(fields.length);
    const { Contact, Canonical, Expires = '' } = Object.fromEntries(fields);
    expect([Contact, Canonical]).to.deep.equal([securityContact, `${publicUrl}/.well-known/security.txt`]);
    expect(Expires).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const monthsLeft = (Date.parse(Expires) - service.clock.now()) / (30 * 86_400_000);
    expect(monthsLeft).to.be.within(5, 8);
  });
});

describe('a service without SECURITY_CONTACT and CONTENT_SIGNAL, with sign-in for agents', () => {
  it('has no security.txt and no content signals, and its catalog states where agents sign in', async () => {
    const service = await startTestService({ hasApps: true, config: { contentSignal: null } });
    try {
      expect((await service.callAt('GET', '/robots.txt')).text).to.match(/^User-agent: \*\nAllow: /);
      expectError(await service.callAt('GET', '/.well-known/security.txt'), 'not_found', 'Page not found');
      const read = async (path: string) => JSON.parse((await service.callAt('GET', path)).text);
      const [{ href }] = (await read('/.well-known/api-catalog')).linkset.at(-1)['service-meta'];
      const { body: metadata } = await service.callAt('GET', href.replace(service.url, ''));
      expect(metadata.resource).to.equal(`${service.url}/mcp`);
      const card = await read('/mcp/server-card');
      expect(card.remotes[0].headers[0].isRequired).to.equal(false);
    } finally {
      await service.stop();
    }
  });
});
