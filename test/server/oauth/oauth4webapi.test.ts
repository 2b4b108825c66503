/** oauth4webapi, a strict client: discovery, registration with a secret, PKCE, issuer, refresh and revocation. */
import { expect } from 'chai';
import * as oauth from 'oauth4webapi';
import { allow, sendUser } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
const redirectUri = 'https://app.example/callback';

describe('a confidential app that uses oauth4webapi', () => {
  const service = useService({ hasApps: true });

  it('gets, renews and revokes its tokens with its secret', async () => {
    const resource = new URL(service.url);
    const described = await oauth.resourceDiscoveryRequest(resource, insecure);
    const { authorization_servers: [issuer = ''] = [] } = await oauth.processResourceDiscoveryResponse(
      resource,
      described,
    );
    const server = await discover(new URL(issuer));
    const client = await register(server);
    const authenticate = oauth.ClientSecretBasic(client.client_secret as string);
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

  const statusWith = async (key: string) => (await service.call('GET', '/me', { key })).status;

  const discover = async (issuer: URL) =>
    oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );

  const register = async (server: oauth.AuthorizationServer) =>
    oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        {
          client_name: 'App',
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_basic',
        },
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
