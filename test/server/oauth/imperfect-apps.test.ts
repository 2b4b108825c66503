/** Apps that do not keep to the letter of the standards, as published ones were seen to do: each is served, or told what is wrong. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import { begin, connectApp, refresh, register, registration } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

describe('an app', () => {
  const service = useService({ hasApps: true });
  let user: UserRecord;

  beforeEach(async () => {
    service.clock.advance(60 * 60_000); // past the limits on what the tests before sent
    user = await service.addUser();
  });

  const statusOf = async (token: string) => (await service.call('GET', '/me', { key: token })).status;

  it('201: registers with null for what it leaves out', async () => {
    const nothing = { client_name: null, client_uri: null, scope: null, jwks_uri: null, contacts: null };
    const { status, body } = await register(service, { ...registration, ...nothing });
    expect([status, body.client_name]).to.deep.equal([201, undefined]);
    await begin(service, { clientId: body.client_id });
  });

  it('400: has in the log why its registration was refused', async () => {
    const wrong = [{ redirect_uris: ['steam://run/1'] }, { token_endpoint_auth_method: 'private_key_jwt' }];
    const reasons: string[] = [];
    for (const metadata of wrong) {
      const { headers, body } = await register(service, { ...registration, ...metadata });
      reasons.push(body.error_description);
      const lines = service.logLines.filter((line) => line.includes(headers.get('X-Request-Id') ?? '?'));
      const [refusal] = lines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'An app was refused');
      expect(refusal).to.include({ path: '/oauth/register', ...body });
    }
    expect(reasons).to.deep.equal([
      'redirect_uris must not use steam: but https, loopback, or a scheme with a dot',
      'jwks or jwks_uri is mandatory for this client',
    ]);
  });

  it('renews tokens without the resource that it named before, as Codex does', async () => {
    const resource = `${service.url}/mcp`;
    const { tokens, clientId } = await connectApp(service, { email: user.email, params: { resource } });
    const { status, body } = await refresh(service, clientId, tokens.refresh_token);
    expect([status, await statusOf(body.access_token)]).to.deep.equal([200, 200]);
  });
});
