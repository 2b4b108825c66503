/** The host's name, logo and key prefix, for customers, browsers and agents. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { generateSecret, hashSecret } from '../../models/api-key/secret.ts';
import { createModels } from '../../models/index.ts';
import { readConfig } from '../../server/config.ts';
import { connectMongoose } from '../../server/database.ts';
import { runCli } from '../support/cli.ts';
import { problemsOf } from '../support/config-problems.ts';
import { useService } from '../support/service.ts';

const svg = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const name = 'Köln "Games" <&> 界';
const escapedName = 'Köln &quot;Games&quot; &lt;&amp;&gt; 界';

describe("a service with the host's brand", () => {
  const supportEmail = 'help@koeln.example';
  const logo = { contentType: 'image/svg+xml', bytes: Buffer.from(svg) };
  const service = useService({
    hasApps: true,
    config: { brand: { name, keyPrefix: 'koeln', logo }, supportEmail },
  });
  const asBrowser = { headers: { Accept: 'text/html' } };

  it("shows the host's name on the account page, the docs and notices, escaped as text", async () => {
    const pages = ['/account', '/api/v1/docs', '/account/nothing-here', '/nothing-here', '/oauth/authorize'];
    for (const path of pages) {
      const { text } = await service.callAt('GET', path, asBrowser);
      expect(text, path).to.match(new RegExp(`<title>[^<]*${escapedName}`));
      expect(text, path).to.not.include(name);
      // The client has one name for all hosts.
      const own = text.replace(/Powered by gamehost<\/a>|<code>gamehost\b[^<]*<\/code>/g, '');
      expect(own, path).to.not.match(/[>"·] ?gamehost/);
    }
  });

  it('shows a small link, Powered by gamehost, at the end of the docs and of notices', async () => {
    for (const path of ['/api/v1/docs', '/nothing-here']) {
      const { text } = await service.callAt('GET', path, asBrowser);
      expect(text).to.match(/class="powered-by"><a href="\/api\/v1\/docs">Powered by gamehost<\/a>/);
    }
  });

  it("uses the host's name in the OpenAPI document, for MCP clients and as the protected resource", async () => {
    const { info } = (await service.call('GET', '/openapi.json')).body;
    expect(info.title).to.equal(`${name} API`);
    expect(info.contact).to.include({ name: `${name} developer support`, email: supportEmail });
    const { secret: key } = await service.addKey();
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const { serverInfo } = (await service.callAt('POST', '/mcp', { key, body })).body.result;
    expect(serverInfo).to.include({ name, title: name });
    const src = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
    expect(serverInfo.icons).to.deep.equal([{ src, mimeType: 'image/svg+xml' }]);
    const resource = await service.callAt('GET', '/.well-known/oauth-protected-resource');
    expect(resource.body.resource_name).to.equal(name);
  });

  it("uses the host's name as the realm of challenges, in ASCII and without quotation marks", async () => {
    const challengeOf = async (path: string, key: string | null = null) =>
      (await service.callAt('GET', path, { key })).headers.get('WWW-Authenticate');
    const realm = 'realm="Koln Games <&>"';
    expect(await challengeOf('/api/v1/me')).to.match(/^Bearer resource_metadata="[^"]+", realm=/);
    expect(await challengeOf('/api/v1/me', generateSecret())).to.equal(
      `Bearer error="invalid_token", ${realm}`,
    );
  });

  it("serves the host's logo with a policy that blocks its scripts", async () => {
    const { status, headers, text } = await service.callAt('GET', '/account/logo');
    expect([status, text, headers.get('Content-Type')]).to.deep.equal([200, svg, 'image/svg+xml']);
    expect(headers.get('Content-Security-Policy')).to.equal(
      "default-src 'none';style-src 'unsafe-inline';sandbox;frame-ancestors 'none'",
    );
    expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
  });
});

describe('SUPPORT_EMAIL', () => {
  it('is the contact on the sign-in page, unless SIGN_IN_HELP names another', () => {
    const settings = { SUPPORT_EMAIL: 'help@koeln.example' };
    expect(readConfig(settings).signInHelp).to.equal('mailto:help@koeln.example');
    expect(readConfig({ ...settings, SIGN_IN_HELP: 'Call us.' }).signInHelp).to.equal('Call us.');
  });
});

describe('KEY_PREFIX', () => {
  const service = useService();

  it('keeps keys working that have another prefix, from before it was changed', async () => {
    const { user, key } = await service.addKey();
    const secret = generateSecret('koeln2');
    const stored = service.connection.collection('api_keys');
    await stored.updateOne({ hash: key.hash }, { $set: { hash: hashSecret(secret) } });
    const { status, body } = await service.call('GET', '/me', { key: secret });
    expect([status, body.user.id]).to.deep.equal([200, user._id]);
  });

  it('begins new keys, which lists show by the prefix and six characters', async () => {
    const connection = await connectMongoose(service.databaseUri);
    const { apiKeys } = createModels(connection, { keyPrefix: 'acme' });
    const { user } = await service.addKey();
    const newKey = { userId: user._id, name: 'branded', scopes: [], expiresAt: null };
    const { key, secret } = await apiKeys.issue(newKey, new Date());
    await connection.close();
    expect(secret).to.match(/^acme_live_[0-9A-Za-z]{42}$/);
    expect(key.prefix)
      .to.match(/^acme_live_[0-9A-Za-z]{6}$/)
      .and.equal(secret.slice(0, 16));
  });

  it("masks every key with that prefix in the caller's input, whatever the prefix is", async () => {
    const { secret: key } = await service.addKey();
    const pasted = generateSecret('acme');
    const { text } = await service.call('POST', '/tickets', { key, body: { [pasted]: 1 } });
    expect(text).to.include(pasted.slice(0, 16)).and.not.include(pasted);
  });
});

describe('HOST_LOGO', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'logo-'));
  });
  after(() => rm(folder, { recursive: true }));

  const written = async (content: string | Buffer) => {
    const path = join(folder, 'logo.bin');
    await writeFile(path, content);
    return path;
  };

  it('accepts an image by its content, whatever its file name', async () => {
    const images = {
      'image/png': Buffer.from('89504e470d0a1a0a0000', 'hex'),
      'image/jpeg': Buffer.from('ffd8ffe000104a46', 'hex'),
      'image/gif': 'GIF89a....',
      'image/webp': 'RIFF1234WEBPVP8 ',
      'image/svg+xml': svg,
    };
    for (const [contentType, content] of Object.entries(images)) {
      const { brand } = readConfig({ HOST_LOGO: await written(content) });
      expect(brand.logo).to.deep.equal({ contentType, bytes: Buffer.from(content) });
    }
  });

  it('is the icon that the MCP registry shows, except a GIF, which the registry refuses', async () => {
    const iconsOf = async (logo: string) => {
      const env = { PUBLIC_URL: 'https://games.example', HOST_LOGO: await written(logo) };
      const { stdout } = await runCli(['mcp', 'server-json', '--name', 'example.games/panel'], { env });
      return JSON.parse(stdout).icons;
    };
    const icon = { src: 'https://games.example/account/logo', mimeType: 'image/svg+xml' };
    expect([await iconsOf(svg), await iconsOf('GIF89a....')]).to.deep.equal([[icon], []]);
  });

  it('stops the start if the file is too large or no image', async () => {
    const large = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(256 * 1024)]);
    for (const content of ['', '<html><svg></svg></html>', '<?xml version="1.0"?><feed/>', 'GIF', large])
      expect(problemsOf({ HOST_LOGO: await written(content) })).to.deep.equal([
        'HOST_LOGO: must be the path of a readable PNG, JPEG, GIF, WebP or SVG file of at most 256 KiB',
      ]);
  });
});
