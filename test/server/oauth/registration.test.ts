/** Apps register by themselves: requests of well-known apps are accepted, and those that would endanger a user are refused. */
import { expect } from 'chai';
import {
  authorizeUrl,
  begin,
  connectApp,
  postForm,
  register,
  registration,
  sendRequest,
} from '../../support/oauth-app.ts';
import { type Answer, useService } from '../../support/service.ts';

const code = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
const claude = 'https://claude.ai/api/mcp/auth_callback';
const chatGpt = 'https://chatgpt.com/connector_platform_oauth_redirect';
const cursor = 'cursor://anysphere.cursor-mcp/oauth/callback';

/** The registrations that well-known apps send, and where the answer may return to. */
const published = [
  { client_name: 'Claude', returnsTo: claude, redirect_uris: [claude], scope: 'claudeai' },
  {
    client_name: 'Claude Code (gamehost)',
    returnsTo: 'http://localhost:51023/callback',
    redirect_uris: ['http://localhost:3118/callback'],
    application_type: 'native',
  },
  {
    client_name: 'ChatGPT',
    returnsTo: chatGpt,
    redirect_uris: [chatGpt],
    scope: 'read:catalog offline_access',
  },
  {
    client_name: 'Cursor',
    returnsTo: cursor,
    redirect_uris: [
      cursor,
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    application_type: 'web',
  },
  {
    client_name: 'Visual Studio Code',
    returnsTo: 'http://127.0.0.1:59656/',
    redirect_uris: ['https://vscode.dev/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'],
    application_type: 'native',
    grant_types: [...code.grant_types, 'urn:ietf:params:oauth:grant-type:device_code'],
  },
];

const refusedRedirects: Record<string, unknown> = {
  'no address to return to': [],
  'addresses that are no list': 'https://app.example',
  'eleven addresses': Array.from({ length: 11 }, (_, each) => `https://app.example/${each}`),
  'plain http to another machine': ['http://app.example/callback'],
  'an address that runs a script': ['javascript:alert(1)'],
  'an address that starts another program': ['intent://a#Intent;end'],
  'an address that the system handles': ['search-ms:query=a'],
  "an address of the system's settings": ['x-apple.systempreferences:com.apple.preference'],
  'an address of a private scheme without a dot': ['steam://run/1'],
  'an address with a fragment': ['https://app.example/#here'],
  'an address with a password': ['https://a:b@app.example/'],
};

const refusedMetadata: Record<string, object> = {
  'a name that is no string': { client_name: 7 },
  'a way to authenticate that is not offered': { token_endpoint_auth_method: 'client_secret_jwt' },
  'more than 5 kB of keys': {
    ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kid: 'k'.repeat(5200) }] } },
  },
  'authentication by a key that it does not name': { token_endpoint_auth_method: 'private_key_jwt' },
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('the registration of apps', () => {
  const service = useService({ hasApps: true });

  beforeEach(() => service.clock.advance(hourMs)); // past the rate limits that earlier tests used up

  for (const { returnsTo, ...metadata } of published)
    it(`201: accepts ${metadata.client_name}, and lets it ask the user for access`, async () => {
      const { client_name, redirect_uris } = metadata;
      const { status, body } = await register(service, { ...registration, ...code, ...metadata });
      expect(status).to.equal(201);
      expect(body).to.deep.include({ ...registration, client_name, redirect_uris });
      expect(body).not.to.have.property('client_secret');
      await begin(service, { clientId: body.client_id, params: { redirect_uri: returnsTo } });
    });

  for (const [what, redirect_uris] of Object.entries(refusedRedirects))
    it(`400 invalid_redirect_uri: refuses ${what}`, async () => {
      const { status, body } = await register(service, { ...registration, redirect_uris });
      expect([status, body.error]).to.deep.equal([400, 'invalid_redirect_uri']);
    });

  for (const [what, metadata] of Object.entries(refusedMetadata))
    it(`400 invalid_client_metadata: refuses ${what}`, async () => {
      const { status, body } = await register(service, { ...registration, ...metadata });
      expect([status, body.error]).to.deep.equal([400, 'invalid_client_metadata']);
    });

  it('201: accepts private schemes that belong to a domain and those of known apps', async () => {
    const redirect_uris = ['com.example.app:/callback', 'vscode-insiders://a.b/callback', 'windsurf://a/b'];
    const { status, body } = await register(service, { ...registration, redirect_uris });
    expect([status, body.redirect_uris]).to.deep.equal([201, redirect_uris]);
  });

  const names: Record<string, [sent: string, shown: string]> = {
    'to at most 100 characters on one line': [`A\n\u202eB${'C'.repeat(200)}`, `A B${'C'.repeat(97)}`],
    'to "Unnamed app" if it shows nothing': ['\u3164\u115f\u2800\ufe0f \u00a0\u200b', 'Unnamed app'],
  };
  for (const [what, [client_name, shown]] of Object.entries(names))
    it(`201: changes a name ${what}`, async () => {
      const { body } = await register(service, { ...registration, client_name });
      expect(body.client_name).to.equal(shown);
    });

  const expectForgotten = async (clientId: string) => {
    const { status, body } = await sendRequest(authorizeUrl(service, { clientId }, 'verifier'));
    expect([status, body.error]).to.deep.equal([400, 'invalid_client']);
  };

  it('expires after thirty days without use, and stays while an app is in use', async () => {
    const user = await service.addUser();
    const { clientId: used } = await connectApp(service, user);
    const { clientId: unused } = await connectApp(service, user);
    service.clock.advance(20 * dayMs);
    await connectApp(service, { email: user.email, clientId: used });
    service.clock.advance(11 * dayMs);
    await begin(service, { clientId: used });
    await expectForgotten(unused);
  });

  it('expires after a day if no user has signed in to the app', async () => {
    const { client_id: clientId } = (await register(service)).body;
    service.clock.advance(23 * hourMs);
    await begin(service, { clientId });
    service.clock.advance(2 * hourMs);
    await expectForgotten(clientId);
  });

  it('201: treats null as an absent field', async () => {
    const nothing = { client_name: null, client_uri: null, scope: null, jwks_uri: null, contacts: null };
    const { status, body } = await register(service, { ...registration, ...nothing });
    expect([status, body.client_name]).to.deep.equal([201, undefined]);
    await begin(service, { clientId: body.client_id });
  });

  for (const [metadata, reason] of [
    [
      { redirect_uris: ['steam://run/1'] },
      'redirect_uris must use https, loopback or a scheme with a dot, not steam:',
    ],
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'jwks or jwks_uri is mandatory for this client'],
  ] as const)
    it(`400: logs that an app was refused because ${reason}`, async () => {
      const { headers, body } = await register(service, { ...registration, ...metadata });
      expect(body.error_description).to.equal(reason);
      const lines = service.logLines.filter((line) => line.includes(headers.get('X-Request-Id') ?? '?'));
      const refusal = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'An app was refused');
      expect(refusal).to.include({ path: '/oauth/register', ...body });
    });
});

describe('the authorization server', () => {
  const service = useService({ hasApps: true, config: { trustProxy: true } });

  const askFrom = (address: string, path: string, { method = 'POST', body = '{}' } = {}) => {
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address };
    return sendRequest(`${service.url}/oauth/${path}`, {
      method,
      headers,
      ...(method === 'POST' && { body }),
    });
  };
  const registerFrom = (address: string, client_name: string, more = {}) =>
    askFrom(address, 'register', { body: JSON.stringify({ ...registration, client_name, ...more }) });

  for (const [path, method, max, time] of [
    ['authorize', 'GET', 30, 'a minute'],
    ['authorize/none', 'GET', 60, 'a minute'],
    ['token', 'POST', 60, 'a minute'],
  ] as const)
    it(`429: answers at most ${max} requests from one address in ${time} at /oauth/${path}`, async () => {
      const answers = await Promise.all(
        Array.from({ length: max }, () => askFrom('192.0.2.1', path, { method })),
      );
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([400]));
      expect((await askFrom('192.0.2.1', path, { method })).status).to.equal(429);
    });

  const expectRefused = ({ status, headers, body }: Answer) => {
    expect([status, body.error]).to.deep.equal([429, 'temporarily_unavailable']);
    expect(Number(headers.get('Retry-After'))).to.be.within(3000, 3601);
  };

  it('429: accepts at most ten new registrations an hour from an address and a hundred from an IPv6 /48', async () => {
    for (let network = 0; network < 10; network += 1) {
      const names = Array.from({ length: 10 }, (_, app) => `App ${network}.${app}`);
      const registered = await Promise.all(
        names.map((name) => registerFrom(`2001:db8:0:${network}::1`, name)),
      );
      expect(registered.map(({ status }) => status)).to.deep.equal(Array(10).fill(201));
      expectRefused(await registerFrom(`2001:db8:0:${network}::2`, 'One more'));
    }
    expectRefused(await registerFrom('2001:db8:0:a::1', 'One more'));
    expect((await registerFrom('2001:db8:1::1', 'One more')).status).to.equal(201);
  });

  it('201: answers a repeated registration with the same client_id, which counts against no limit', async () => {
    const registerAgain = () => registerFrom('192.0.2.2', 'A hosted agent');
    const { client_id } = (await registerAgain()).body;
    for (const { status, body } of await Promise.all(Array.from({ length: 20 }, registerAgain)))
      expect([status, body.client_id]).to.deep.equal([201, client_id]);
    expect((await registerFrom('192.0.2.2', 'Another agent')).body.client_id).not.to.equal(client_id);
  });

  it('201: gives each registration with a secret its own client_id, and accepts no other secret', async () => {
    const secret = { token_endpoint_auth_method: 'client_secret_post' };
    const { body: one } = await registerFrom('192.0.2.3', 'An app', secret);
    const { body: other } = await registerFrom('192.0.2.3', 'An app', secret);
    expect(one.client_id).not.to.equal(other.client_id);
    const errorWith = async (client_secret: string) => {
      const form = { grant_type: 'refresh_token', refresh_token: 'none', client_id: one.client_id };
      return (await postForm(service, '/oauth/token', { form: { ...form, client_secret } })).body.error;
    };
    expect(await errorWith(other.client_secret)).to.equal('invalid_client');
    expect(await errorWith(one.client_secret)).to.equal('invalid_grant');
  });

  it('201: registers an app however many others exist, and drops the oldest that no user has signed in to', async () => {
    const clients = service.connection.collection<StoredClient>('oauth_clients');
    await clients.deleteMany({});
    const storedMax = 10_000;
    const stored = Array.from({ length: storedMax }, (_, number) => ({
      ...{ _id: `app-${number}`, metadata: '{}', createdAt: new Date(service.clock.now()), usedAt: null },
      expiresAt: new Date(service.clock.now() + number),
    }));
    const usedAt = new Date(service.clock.now());
    await clients.insertMany([{ ...stored[0], _id: 'used', usedAt } as StoredClient, ...stored]);
    expect((await registerFrom('192.0.2.4', 'A new app')).status).to.equal(201);
    expect(await clients.countDocuments({})).to.equal(storedMax + 1);
    const oldest = await clients.find({ _id: { $in: ['used', 'app-0', 'app-1'] } }).toArray();
    expect(oldest.map(({ _id }) => _id)).to.have.members(['used', 'app-1']);
  });
});

interface StoredClient {
  _id: string;
  usedAt: Date | null;
}
