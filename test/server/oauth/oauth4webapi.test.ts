/** A strict client by the book, oauth4webapi: discovery, registration with a secret, PKCE, issuer, refresh and revocation. */
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import { allow, connectApp, sendUser } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const redirectUri = 'https://app.example/callback';

describe('a confidential app, by oauth4webapi', () => {
  const service = useService({ hasApps: true });

  for (const [method, authenticateBy] of [
    ['client_secret_basic', oauth.ClientSecretBasic],
    ['client_secret_post', oauth.ClientSecretPost],
  ] as const)
    it(`gets, renews and revokes its tokens with ${method}`, async () => {
      const resource = new URL(service.url);
      const described = await oauth.resourceDiscoveryRequest(resource, insecure);
      const { authorization_servers: [issuer = ''] = [] } = await oauth.processResourceDiscoveryResponse(
        resource,
        described,
      );
      const server = await discover(new URL(issuer));
      const client = await register(server, method);
      const authenticate = authenticateBy(client.client_secret as string);
      const { answer, verifier } = await authorize(server, client);
      const granted = await oauth.authorizationCodeGrantRequest(
        ...([server, client, authenticate] as const),
        ...([answer, redirectUri, verifier, insecure] as const),
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, granted);
      const renewed = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(
          ...([server, client, authenticate, tokens.refresh_token ?? '', insecure] as const),
        ),
      );
      expect(await statusWith(renewed.access_token)).to.equal(200);
      const revoked = await oauth.revocationRequest(
        ...([server, client, authenticate, renewed.access_token, insecure] as const),
      );
      await oauth.processRevocationResponse(revoked);
      expect(await statusWith(renewed.access_token)).to.equal(401);
    });

  it('gets what is left of the scopes that a renewal names, after its user has taken some back', async () => {
    const user = await service.addUser();
    const { clientId, tokens, account } = await connectApp(service, {
      email: user.email,
      params: { scope: 'read:account read:catalog write:tickets' },
    });
    const [connected] = (await account.api.apps.list.query()).apps;
    await account.api.apps.change.mutate({
      id: connected?.id ?? '',
      scopes: ['read:account', 'read:console'],
    });
    const server = await discover(new URL(service.url));
    const client = { client_id: clientId };
    const renew = async (token: string, scope?: string) =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, {
          ...insecure,
          ...(scope && { additionalParameters: { scope } }),
        }),
      );
    const named = await renew(tokens.refresh_token, 'read:account read:catalog write:tickets');
    expect(named.scope).to.equal('read:account');
    const reading = await service.call('GET', '/servers', { key: named.access_token });
    expect(reading.status).to.not.equal(403);
    const console = '/servers/a1b2c3d4/console';
    expect((await service.call('GET', console, { key: named.access_token })).status).to.equal(403);
    const whole = await renew(named.refresh_token ?? '');
    expect(whole.scope?.split(' ')).to.have.members(['read:account', 'read:console']);
    expect((await service.call('GET', console, { key: whole.access_token })).status).to.not.equal(403);
  });

  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;

  const discover = async (issuer: URL) =>
    oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );

  const register = async (server: oauth.AuthorizationServer, method: string) =>
    oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { client_name: 'App', redirect_uris: [redirectUri], token_endpoint_auth_method: method },
        insecure,
      ),
    );

  async function authorize(server: oauth.AuthorizationServer, client: oauth.Client) {
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const url = new URL(server.authorization_endpoint ?? '');
    url.search = new URLSearchParams({
      ...{ client_id: client.client_id, redirect_uri: redirectUri, response_type: 'code', state },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }).toString();
    const { params } = await allow(service, await sendUser(url.href), await service.addUser());
    return { answer: oauth.validateAuthResponse(server, client, params, state), verifier };
  }
});
