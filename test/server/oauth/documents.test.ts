/** The documents that apps read before they sign a user in, and the challenge of each 401. */
import { expect } from 'chai';
import { generateSecret } from '../../../models/api-key/secret.ts';
import { scopes } from '../../../routers/scopes.ts';
import { createCli } from '../../support/cli.ts';
import { authorizeUrl, register, sendRequest } from '../../support/oauth-app.ts';
import { operationsOf } from '../../support/openapi-reader.ts';
import { requestOf, sendRaw } from '../../support/raw-http.ts';
import { startTestService, useService } from '../../support/service.ts';

const paths = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
];
const defaultScopes = [
  ...['read:catalog', 'read:account', 'read:console', 'write:tickets', 'write:servers', 'write:backups'],
];

describe('the discovery of the authorization server', () => {
  const service = useService({ hasApps: true });

  it('names the API and its authorization server', async () => {
    for (const path of ['', '/mcp']) {
      const { status, body } = await sendRequest(
        `${service.url}/.well-known/oauth-protected-resource${path}`,
      );
      expect(status).to.equal(200);
      expect(body).to.deep.include({
        resource: service.url + path,
        authorization_servers: [service.url],
        scopes_supported: defaultScopes,
        bearer_methods_supported: ['header'],
      });
    }
  });

  it('names the endpoints, only S256 for PKCE, and every customer scope but no admin scope', async () => {
    const { body } = await sendRequest(`${service.url}/.well-known/oauth-authorization-server`);
    expect(body).to.deep.include({
      issuer: service.url,
      authorization_endpoint: `${service.url}/oauth/authorize`,
      token_endpoint: `${service.url}/oauth/token`,
      registration_endpoint: `${service.url}/oauth/register`,
      revocation_endpoint: `${service.url}/oauth/revoke`,
      scopes_supported: [...scopes.filter((scope) => !scope.startsWith('admin:')), 'offline_access'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [
        ...['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      ],
      token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it("agrees with the API's description, from the service and from the command line", async () => {
    const server = (await sendRequest(service.url + paths[2])).body;
    const { body: served } = await service.call('GET', '/openapi.json');
    const { type, flows } = served.components.securitySchemes.oauth2;
    expect([type, ...Object.keys(flows)]).to.deep.equal(['oauth2', 'authorizationCode']);
    expect({ ...flows.authorizationCode, scopes: Object.keys(flows.authorizationCode.scopes) }).to.deep.equal(
      {
        authorizationUrl: server.authorization_endpoint,
        tokenUrl: server.token_endpoint,
        refreshUrl: server.token_endpoint,
        scopes: server.scopes_supported,
      },
    );
    const cli = createCli({ PUBLIC_URL: service.url, CONSOLE_COMMANDS: 'true' });
    expect(await cli.json('openapi')).to.deep.equal(served);
  });

  it('has access tokens as an alternative to keys in each operation whose scope an app may have', async () => {
    const { scopes_supported: grantable } = (await sendRequest(service.url + paths[2])).body;
    const { body } = await service.call('GET', '/openapi.json');
    const keys = [{ bearer: [] }, { apiKey: [] }];
    for (const { path, operation } of operationsOf(body)) {
      const { security, 'x-required-scope': scope } = operation;
      const isForApps = scope === undefined || grantable.includes(scope);
      const expected = isForApps ? [...keys, { oauth2: scope ? [scope] : [] }] : keys;
      if (security.length > 0) expect(security, path).to.deep.equal(expected);
    }
    const { '/key': key, '/admin/users': users, '/openapi.json': open } = body.paths;
    expect(key.get.security).to.deep.equal([...keys, { oauth2: [] }]);
    expect([users.get.security, open.get.security]).to.deep.equal([keys, []]);
  });

  it('gives the same answer to clients that start at /mcp, and at each address with a trailing slash', async () => {
    const server = (await sendRequest(service.url + paths[2])).body;
    expect((await sendRequest(service.url + paths[3])).body).to.deep.equal(server);
    for (const path of paths)
      expect((await sendRequest(`${service.url}${path}/`)).body).to.deep.equal(
        (await sendRequest(service.url + path)).body,
      );
  });

  it('lets pages of any origin read the documents, with a preflight', async () => {
    const headers = { Origin: 'https://inspector.example', 'Access-Control-Request-Method': 'POST' };
    for (const path of [...paths, '/oauth/token', '/oauth/register', '/oauth/revoke']) {
      const preflight = await sendRequest(service.url + path, { method: 'OPTIONS', headers });
      expect(preflight.status, path).to.equal(204);
      expect(preflight.headers.get('Access-Control-Allow-Origin'), path).to.equal('*');
      expect(preflight.headers.has('Access-Control-Allow-Credentials'), path).to.equal(false);
    }
    const answer = await sendRequest(service.url + paths[0], { headers });
    expect(answer.headers.get('Access-Control-Allow-Origin')).to.equal('*');
  });

  describe('behind a proxy', () => {
    const proxied = useService({ hasApps: true, config: { trustProxy: true } });

    it('names the same addresses whatever Host and X-Forwarded-Host say, and for absolute-form requests', async () => {
      const clientId: string = (await register(proxied)).body.client_id;
      const { pathname, search } = new URL(authorizeUrl(proxied, { clientId }, 'verifier'));
      const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' };
      for (const path of [pathname + search, ...paths])
        for (const target of [path, `http://evil.example${path}`]) {
          const { status, headers, text } = await sendRaw(
            proxied.url,
            requestOf(`GET ${target} HTTP/1.1`, forged),
          );
          expect(status, target).to.be.oneOf([200, 303]);
          expect(JSON.stringify([...headers, text])).not.to.include('evil.example');
        }
    });
  });

  describe('with a 401 unauthorized', () => {
    const metadata = (path: string) =>
      `resource_metadata="${service.url}/.well-known/oauth-protected-resource${path === '/mcp' ? '/mcp' : ''}"`;
    const challengeOf = async (path: string, headers: Record<string, string>) => {
      const answer = await service.callAt(path === '/mcp' ? 'POST' : 'GET', path, {
        headers,
        ...(path === '/mcp' && { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
      });
      expect(answer.status).to.equal(401);
      return answer.headers.get('WWW-Authenticate');
    };

    for (const path of ['/api/v1/me', '/trpc/account.me', '/mcp'])
      it(`at ${path} sends callers without a key or with a bad token to sign in, but not callers with a bad key`, async () => {
        const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
        expect(await challengeOf(path, {})).to.equal(`Bearer ${metadata(path)}`);
        for (const token of [`gamehost_app_${'x'.repeat(43)}`, 'sesame'])
          expect(await challengeOf(path, bearer(token))).to.equal(
            `Bearer error="invalid_token", ${metadata(path)}`,
          );
        const key = generateSecret();
        for (const headers of [bearer(key), bearer(key.slice(0, -1)), { 'X-API-Key': 'sesame' }])
          expect(await challengeOf(path, headers)).to.equal('Bearer error="invalid_token"');
      });
  });
});

describe('a service without an authorization server', () => {
  for (const publicUrl of [undefined, 'http://games.example'])
    it(`404 not_found: serves no discovery documents and no endpoints with PUBLIC_URL ${publicUrl}, and describes none`, async () => {
      const service = await startTestService({ config: { publicUrl } });
      for (const path of [...paths, '/oauth/authorize', '/oauth/token', '/oauth/register'])
        expect((await sendRequest(service.url + path)).status, path).to.equal(404);
      const { headers } = await service.call('GET', '/me');
      const { body: described } = await service.call('GET', '/openapi.json');
      await service.stop();
      expect(described.components.securitySchemes).to.have.all.keys('bearer', 'apiKey');
      expect(described.paths['/key'].get.security).to.deep.equal([{ bearer: [] }, { apiKey: [] }]);
      expect(headers.get('WWW-Authenticate')).to.equal('Bearer');
    });
});
