/** Apps whose client_id is the address of a document: the published documents are accepted, and addresses are asked with care. */
import { expect } from 'chai';
import { isPublicIp } from '../../../server/public-address.ts';
import { signedIn } from '../../support/account.ts';
import { ask, authorizeUrl, begin, connectApp } from '../../support/oauth-app.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const code = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };

/** As they are published, each at its client_id. */
const published = [
  {
    client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
    ...{ client_name: 'Claude Code', client_uri: 'https://claude.ai', ...code },
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    token_endpoint_auth_method: 'none',
  },
  {
    client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    ...{ client_name: 'Claude', client_uri: 'https://claude.ai', ...code },
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    token_endpoint_auth_method: 'none',
  },
  {
    client_id: 'https://chatgpt.com/oauth/client.json',
    ...{ client_name: 'ChatGPT', ...code, jwks_uri: 'https://chatgpt.com/oauth/jwks.json' },
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
    token_endpoint_auth_signing_alg: 'RS256',
  },
  {
    client_id: 'https://vscode.dev/oauth/client-metadata.json',
    ...{
      client_name: 'Visual Studio Code',
      client_uri: 'https://vscode.dev/product',
      response_types: ['code'],
    },
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    redirect_uris: ['http://127.0.0.1:33418/', 'http://localhost/', 'https://vscode.dev/redirect'],
    ...{ token_endpoint_auth_method: 'none', application_type: 'native' },
  },
];

const returns: Record<string, string> = {
  'Claude Code': 'http://localhost:3118/callback',
  Claude: 'https://claude.ai/api/mcp/auth_callback',
  ChatGPT: 'https://chatgpt.com/connector_platform_oauth_redirect',
  'Visual Studio Code': 'http://127.0.0.1:59656/',
};

/** Answers that must not be taken for an app's document. */
const bad: Record<string, (id: string) => Response> = {
  'a redirect': () => new Response(null, { status: 302, headers: { Location: 'https://127.0.0.1/' } }),
  'a missing page': () => new Response('Not found', { status: 404 }),
  'no JSON': () => new Response('<html>'),
  'another client_id': () => Response.json({ client_id: 'https://app.example/other', ...own }),
  'more than 5 kB': (client_id) => Response.json({ client_id, ...own, client_name: 'A'.repeat(6000) }),
  'no address to return to': (client_id) => Response.json({ client_id }),
  'plain http to another machine': (client_id) =>
    Response.json({ client_id, redirect_uris: ['http://app.example/callback'] }),
};

const clientId = 'https://app.example/client';
const own = { client_name: 'App', redirect_uris: ['http://127.0.0.1/callback'] };

describe('an app with a metadata document', () => {
  let service: TestService;
  const documents = new Map<string, () => Response>();

  before(async () => {
    for (const document of published) documents.set(document.client_id, () => Response.json(document));
    const fetchDocument = async (url: string | URL) =>
      documents.get(String(url))?.() ?? new Response(null, { status: 404 });
    service = await startTestService({ hasApps: true, fetchDocument });
  });
  after(() => service.stop());

  for (const { client_id, client_name } of published)
    it(`is shown as ${client_name}, with the host that vouches for it`, async () => {
      const params = { redirect_uri: returns[client_name] ?? '' };
      const { id } = await begin(service, { clientId: client_id, params });
      const account = await signedIn(service.url, await service.addUser());
      const question = await account.api.apps.request.query({ request_id: id });
      expect(question.app).to.deep.equal({ name: client_name, verified_host: new URL(client_id).host });
      expect(question.returns_to).to.equal(new URL(params.redirect_uri).hostname);
    });

  it('gets tokens without a registration, and is not stored', async () => {
    documents.set(clientId, () => Response.json({ client_id: clientId, ...own }));
    const user = await service.addUser();
    const { tokens, account } = await connectApp(service, { email: user.email, clientId });
    expect((await service.call('GET', '/me', { key: tokens.access_token })).status).to.equal(200);
    const { apps } = await account.api.apps.list.query();
    expect(apps[0]).to.deep.include({
      client_id: clientId,
      app: { name: 'App', verified_host: 'app.example' },
    });
    expect(await service.connection.collection('oauth_clients').countDocuments()).to.equal(0);
  });

  for (const [what, answer] of Object.entries(bad))
    it(`400: is refused when its address gives ${what}`, async () => {
      const id = `https://app.example/${encodeURIComponent(what)}`;
      documents.set(id, () => answer(id));
      const { status, headers } = await ask(authorizeUrl(service, { clientId: id }, 'verifier'));
      expect([status, headers.get('Location')]).to.deep.equal([400, null]);
    });

  it('400: is not asked for at an address that is not public', async () => {
    const guarded = await startTestService({ hasApps: true });
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '10.0.0.1',
      '192.168.1.1',
      'app.example:8443',
      'intranet',
    ]) {
      const { status, text } = await ask(
        authorizeUrl(guarded, { clientId: `https://${host}/client` }, 'verifier'),
      );
      expect([status, text.includes('invalid_client')], host).to.deep.equal([400, true]);
    }
    await guarded.stop();
  });
});

describe('public addresses', () => {
  const notPublic = [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.31.0.1', '192.168.0.1'],
    ...['198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'],
    ...['fc00::1', 'fe80::1', 'ff02::1', '2001:db8::1', '2002:7f00:1::'],
  ];

  for (const address of notPublic)
    it(`are not ${address}`, () => {
      expect(isPublicIp(address)).to.equal(false);
    });

  it('are those of the public internet', () => {
    for (const address of ['1.1.1.1', '160.79.104.10', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])
      expect(isPublicIp(address), address).to.equal(true);
  });
});
