/** Apps whose client_id is the address of a document: published documents are accepted, and fetches never reach internal addresses. */
import { expect } from 'chai';
import { isPublicIp } from '../../../server/outbound/addresses.ts';
import { signInAccount } from '../../support/account.ts';
import { startNameServer } from '../../support/name-server.ts';
import {
  authorizeUrl,
  begin,
  connectApp,
  postForm,
  register,
  registration,
  sendRequest,
} from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

const code = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
const none = { ...code, token_endpoint_auth_method: 'none' };
const chatGpt = 'https://chatgpt.com/connector_platform_oauth_redirect';

/** Documents as published, each at its client_id, and where the answer may return to. */
const published = [
  {
    returnsTo: 'http://localhost:3118/callback',
    client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
    client_name: 'Claude Code',
    client_uri: 'https://claude.ai',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    ...none,
  },
  {
    returnsTo: 'https://claude.ai/api/mcp/auth_callback',
    client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
    client_name: 'Claude',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
    ...none,
  },
  {
    returnsTo: chatGpt,
    client_id: 'https://chatgpt.com/oauth/client.json',
    client_name: 'ChatGPT',
    redirect_uris: [chatGpt],
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
    token_endpoint_auth_signing_alg: 'RS256',
  },
  {
    returnsTo: 'http://127.0.0.1:59656/',
    client_id: 'https://vscode.dev/oauth/client-metadata.json',
    client_name: 'Visual Studio Code',
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1:33418/', 'http://localhost/', 'https://vscode.dev/redirect'],
    ...none,
  },
];

/** Responses that must not pass as an app's document. */
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
  const documents = new Map(
    published.map(({ returnsTo: _, ...document }) => [document.client_id, () => Response.json(document)]),
  );
  const fetchDocument = async (url: string | URL) =>
    documents.get(String(url))?.() ?? new Response(null, { status: 404 });
  const service = useService({ hasApps: true, fetchDocument });

  for (const { client_id, client_name, returnsTo } of published)
    it(`appears as ${client_name} with the host that vouches for it`, async () => {
      const asking = { clientId: client_id, params: { redirect_uri: returnsTo } };
      const { id } = await begin(service, asking);
      const account = await signInAccount(service.url, await service.addUser());
      const question = await account.api.apps.request.query({ request_id: id });
      expect(question.app).to.deep.equal({ name: client_name, verified_host: new URL(client_id).host });
      expect(question.returns_to).to.equal(new URL(returnsTo).hostname);
    });

  it('gets tokens without a registration and is not stored', async () => {
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
    it(`400: is refused when its address returns ${what}`, async () => {
      const id = `https://app.example/${encodeURIComponent(what)}`;
      documents.set(id, () => answer(id));
      const { status, headers } = await sendRequest(authorizeUrl(service, { clientId: id }, 'verifier'));
      expect([status, headers.get('Location')]).to.deep.equal([400, null]);
    });
});

describe("the host of an app's metadata document", () => {
  const service = useService({ hasApps: true });
  /** Null: the name server never answers. */
  let address: string | null;
  const nameServer = useStarted(() => startNameServer(() => address));

  const authorize = (host: string) =>
    sendRequest(authorizeUrl(service, { clientId: `https://${host}/client` }, 'verifier'));

  const notPublic = ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '192.168.1.1', 'app.example:8443'];
  for (const host of [...notPublic, 'intranet'])
    it(`400: receives no request at ${host}, which is not public`, async () => {
      const { status, body } = await authorize(host);
      expect([status, body.error]).to.deep.equal([400, 'invalid_client']);
      expect(nameServer.asked).to.deep.equal([]);
    });

  for (const host of ['127.0.0.1', 'localhost', 'intranet'])
    it(`401: receives no request for the keys of a registered app at ${host}, which is not public`, async () => {
      service.clock.advance(60 * 60_000);
      const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `https://${host}/jwks.json` };
      const { body: app } = await register(service, { ...registration, ...keyed });
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = { iss: app.client_id, sub: app.client_id, aud: service.url, jti: '1', exp: 4e9 };
      const form = {
        ...{ grant_type: 'refresh_token', refresh_token: 'none', client_id: app.client_id },
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: `${encode({ alg: 'RS256' })}.${encode(claims)}.c2lnbmVk`,
      };
      const { status, body } = await postForm(service, '/oauth/token', { form });
      expect([status, body.error]).to.deep.equal([401, 'invalid_client']);
      expect(nameServer.asked).to.deep.equal([]);
    });

  for (const inside of ['127.0.0.1', '10.1.2.3', '169.254.169.254'])
    it(`400: receives no connection when its name resolves to ${inside}`, async () => {
      address = inside;
      const { status, body } = await authorize(`inside.${inside}.example`);
      expect([status, body.error]).to.deep.equal([400, 'invalid_client']);
      expect(nameServer.asked).to.include(`inside.${inside}.example`);
    });

  it('400: times out when its name servers never answer, without blocking a thread that others need', async () => {
    address = null;
    const hosts = ['a', 'b', 'c', 'd'].map((each) => `silent-${each}.example`);
    const answers = await Promise.all(
      hosts.map((host) =>
        postForm(service, '/oauth/token', { form: { client_id: `https://${host}/client` } }),
      ),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 400, 400, 400]);
    // The system's own lookup would wait in a thread and query other servers than these.
    expect(nameServer.asked).to.include.members(hosts);
  });
});

describe('the list of public addresses', () => {
  it('contains only those of the public internet', () => {
    for (const address of ['1.1.1.1', '160.79.104.10', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])
      expect(isPublicIp(address), address).to.equal(true);
  });
});
