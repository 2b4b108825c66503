/** Apps register by themselves: what the published ones send is accepted, and what would endanger a user is refused. */
import { expect } from 'chai';
import { ask, authorizeUrl, begin, connectApp, register, registration } from '../../support/oauth-app.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const code = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };

/** As the apps send them. */
const published = {
  Claude: {
    ...{ client_name: 'Claude', ...code, token_endpoint_auth_method: 'none', scope: 'claudeai' },
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
  },
  'Claude Code': {
    ...{ client_name: 'Claude Code (gamehost)', ...code, token_endpoint_auth_method: 'none' },
    redirect_uris: ['http://localhost:3118/callback'],
    application_type: 'native',
  },
  ChatGPT: {
    ...{ client_name: 'ChatGPT', ...code, token_endpoint_auth_method: 'none' },
    redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    scope: 'read:catalog read:account write:tickets write:servers offline_access',
  },
  Cursor: {
    ...{ client_name: 'Cursor', ...code, token_endpoint_auth_method: 'none', application_type: 'web' },
    redirect_uris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
  },
  'VS Code': {
    ...{
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      response_types: ['code'],
    },
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    redirect_uris: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    ...{ token_endpoint_auth_method: 'none', application_type: 'native' },
  },
};

/** Where the answer may go in the end. */
const returns = {
  Claude: 'https://claude.ai/api/mcp/auth_callback',
  'Claude Code': 'http://localhost:51023/callback',
  ChatGPT: 'https://chatgpt.com/connector_platform_oauth_redirect',
  Cursor: 'cursor://anysphere.cursor-mcp/oauth/callback',
  'VS Code': 'http://127.0.0.1:59656/',
};

const refused: Record<string, [metadata: object, error: string]> = {
  'no address to return to': [{ redirect_uris: [] }, 'invalid_redirect_uri'],
  'addresses that are no list': [{ redirect_uris: 'https://app.example' }, 'invalid_redirect_uri'],
  'eleven addresses': [
    { redirect_uris: Array.from({ length: 11 }, (_, each) => `https://app.example/${each}`) },
    'invalid_redirect_uri',
  ],
  'plain http to another machine': [
    { redirect_uris: ['http://app.example/callback'] },
    'invalid_redirect_uri',
  ],
  'an address that runs a script': [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  'an address that starts another program': [
    { redirect_uris: ['intent://a#Intent;end'] },
    'invalid_redirect_uri',
  ],
  'an address that the system handles': [{ redirect_uris: ['search-ms:query=a'] }, 'invalid_redirect_uri'],
  "an address of the system's settings": [
    { redirect_uris: ['x-apple.systempreferences:com.apple.preference'] },
    'invalid_redirect_uri',
  ],
  'an address of a private scheme without a dot': [
    { redirect_uris: ['steam://run/1'] },
    'invalid_redirect_uri',
  ],
  'a name that is no string': [{ client_name: 7 }, 'invalid_client_metadata'],
  'a name that is null': [{ client_name: null }, 'invalid_client_metadata'],
  'an address with a fragment': [{ redirect_uris: ['https://app.example/#here'] }, 'invalid_redirect_uri'],
  'an address with a password': [{ redirect_uris: ['https://a:b@app.example/'] }, 'invalid_redirect_uri'],
  'a way to authenticate that is not offered': [
    { token_endpoint_auth_method: 'private_key_jwt' },
    'invalid_client_metadata',
  ],
};

describe('registration', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await startTestService({ hasApps: true });
  });
  afterEach(() => service.stop());

  for (const [name, metadata] of Object.entries(published))
    it(`201: registers ${name}, and the user is asked about it`, async () => {
      const { status, body } = await register(service, metadata);
      expect(status).to.equal(201);
      expect(body).to.include({ client_name: metadata.client_name, token_endpoint_auth_method: 'none' });
      expect(body.redirect_uris).to.deep.equal(metadata.redirect_uris);
      expect(body).not.to.have.property('client_secret');
      const params = { redirect_uri: returns[name as keyof typeof returns] };
      await begin(service, { clientId: body.client_id, params });
    });

  for (const [what, [metadata, error]] of Object.entries(refused))
    it(`400 ${error}: refuses ${what}`, async () => {
      const { status, body } = await register(service, { ...registration, ...metadata });
      expect([status, body.error]).to.deep.equal([400, error]);
    });

  it('201: takes private schemes that belong to a domain, and those of known apps', async () => {
    for (const redirect of [
      'com.example.app:/callback',
      'vscode-insiders://a.b/callback',
      'windsurf://a/callback',
    ]) {
      const { status, body } = await register(service, { ...registration, redirect_uris: [redirect] });
      expect([status, body.redirect_uris]).to.deep.equal([201, [redirect]]);
    }
  });

  it('cuts a name to 100 characters on one line', async () => {
    const { body } = await register(service, {
      ...registration,
      client_name: `A\n\u202eB${'C'.repeat(200)}`,
    });
    expect(body.client_name).to.equal(`A B${'C'.repeat(97)}`);
  });

  it('calls an app unnamed whose name shows nothing', async () => {
    const name = '\u3164\u115f\u2800\ufe0f \u00a0\u200b';
    expect((await register(service, { ...registration, client_name: name })).body.client_name).to.equal(
      'Unnamed app',
    );
  });

  it('429: takes ten registrations an hour from an address', async () => {
    for (let times = 0; times < 10; times += 1) expect((await register(service)).status).to.equal(201);
    const { status, headers, body } = await register(service);
    expect([status, body.error]).to.deep.equal([429, 'temporarily_unavailable']);
    expect(Number(headers.get('Retry-After'))).to.be.within(3500, 3601);
  });

  it('429: begins thirty authorizations a minute from an address', async () => {
    const url = authorizeUrl(service, { clientId: 'none' }, 'verifier');
    for (let times = 0; times < 30; times += 1) expect((await ask(url)).status).to.equal(400);
    expect((await ask(url)).status).to.equal(429);
  });

  it('429: answers sixty token requests a minute to an address', async () => {
    const token = () => ask(`${service.url}/oauth/token`, { method: 'POST', body: new URLSearchParams({}) });
    for (let times = 0; times < 60; times += 1) expect((await token()).status).to.equal(400);
    expect((await token()).status).to.equal(429);
  });

  it('forgets an app that is not used for thirty days, and keeps one that is', async () => {
    const user = await service.addUser();
    const { clientId: used } = await connectApp(service, { email: user.email });
    const { client_id: unused } = (await register(service)).body;
    service.clock.advance(20 * 86_400_000);
    await connectApp(service, { email: user.email, clientId: used });
    service.clock.advance(11 * 86_400_000);
    await begin(service, { clientId: used });
    const { status, text } = await ask(authorizeUrl(service, { clientId: unused }, 'verifier'));
    expect(status).to.equal(400);
    expect(text).to.include('invalid_client');
  });

  it('forgets an app that nobody has signed in to after a day', async () => {
    const { client_id: clientId } = (await register(service)).body;
    service.clock.advance(23 * 3_600_000);
    await begin(service, { clientId });
    service.clock.advance(2 * 3_600_000);
    const { status, text } = await ask(authorizeUrl(service, { clientId }, 'verifier'));
    expect(status).to.equal(400);
    expect(text).to.include('invalid_client');
  });

  it('gives an app that can keep one a secret, which it must send', async () => {
    const { client_id, client_secret } = (
      await register(service, { ...registration, token_endpoint_auth_method: 'client_secret_post' })
    ).body;
    const token = async (secret: string) => {
      const form = { grant_type: 'refresh_token', refresh_token: 'none', client_id, client_secret: secret };
      const body = new URLSearchParams(form);
      return (await ask(`${service.url}/oauth/token`, { method: 'POST', body })).body.error;
    };
    expect(await token('wrong')).to.equal('invalid_client');
    expect(await token(client_secret)).to.equal('invalid_grant');
  });
});

describe('registration by many addresses', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await startTestService({ hasApps: true, config: { trustProxy: true } });
  });
  afterEach(() => service.stop());

  /** Sends registrations that are refused, and count all the same. */
  const statusesFrom = (network: string, times: number) =>
    Promise.all(
      Array.from({ length: times }, async () => {
        const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': `${network}::1` };
        return (await ask(`${service.url}/oauth/register`, { method: 'POST', headers, body: '{}' })).status;
      }),
    );

  it('429: takes a hundred an hour from an IPv6 /48', async () => {
    for (let network = 0; network < 10; network += 1)
      expect(await statusesFrom(`2001:db8:1:${network}`, 10)).to.deep.equal(Array(10).fill(400));
    expect(await statusesFrom('2001:db8:1:a', 1)).to.deep.equal([429]);
    expect(await statusesFrom('2001:db8:2:1', 1)).to.deep.equal([400]);
  });

  for (const [path, max] of [
    ['authorize', 30],
    ['token', 60],
  ] as const)
    it(`429: answers ${10 * max} requests a minute to an IPv6 /48 at /oauth/${path}`, async () => {
      const statusFrom = async (network: number) => {
        const headers = { 'X-Forwarded-For': `2001:db8:3:${network}::1` };
        const method = path === 'token' ? 'POST' : 'GET';
        return (await ask(`${service.url}/oauth/${path}`, { method, headers })).status;
      };
      for (let network = 0; network < 10; network += 1) {
        const statuses = await Promise.all(Array.from({ length: max }, () => statusFrom(network)));
        expect(statuses).to.not.include(429);
      }
      expect(await statusFrom(10)).to.equal(429);
    });

  it('429: takes a thousand an hour in all', async () => {
    for (let site = 0; site < 100; site += 1)
      expect(await statusesFrom(`2001:db8:${site}:1`, 10)).to.deep.equal(Array(10).fill(400));
    expect(await statusesFrom('2001:db8:ffff:1', 1)).to.deep.equal([429]);
  });
});
