/** What the database holds of apps is of no use to its reader: no token, code, secret or pending request stands in it. */
import { expect } from 'chai';
import {
  ask,
  begin,
  connectApp,
  type Registered,
  refresh,
  register,
  registration,
} from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

describe('the database of a service with apps', () => {
  const service = useService({ hasApps: true, logLevel: 'info' });
  let stored: string;
  let logged: string;
  const secrets: string[] = [];

  before(async () => {
    const user = await service.addUser();
    const { tokens, code, flow, account, clientId } = await connectApp(service, { email: user.email });
    const renewed = (await refresh(service, clientId, tokens.refresh_token)).body;
    await service.call('GET', '/me', { key: renewed.access_token });
    await service.call('GET', `/tickets/${tokens.access_token}`, { key: renewed.access_token });
    const secret: Registered = (
      await register(service, { ...registration, token_endpoint_auth_method: 'client_secret_basic' })
    ).body;
    const pending = await begin(service, { clientId });
    const answered = await begin(service, { clientId });
    await account.api.apps.allow.mutate({ request_id: answered.id, scopes: ['read:account'] });
    const refused = await begin(service, { clientId });
    const cookie = [...account.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    await ask(`${service.url}/oauth/authorize/${refused.id}`, { headers: { Cookie: cookie } });
    const given = [
      tokens.access_token,
      tokens.refresh_token,
      renewed.access_token,
      renewed.refresh_token,
      code,
    ];
    secrets.push(...given, secret.client_secret ?? '', flow.verifier);
    secrets.push(pending.id, answered.id, refused.id, ...account.cookies.values());
    await service.flushAudit();
    stored = JSON.stringify(await everything());
    logged = service.logLines.join('');
  });

  const everything = () =>
    Promise.all(
      Object.values(service.connection.models).map(({ collection }) =>
        service.connection.collection(collection.collectionName).find().toArray(),
      ),
    );

  it('has none of them in clear', () => {
    expect(secrets).to.have.length(11);
    expect(stored.length).to.be.above(5000);
    for (const secret of secrets) {
      expect(secret.length).to.be.above(20);
      expect(stored).not.to.include(secret);
    }
  });

  it('has no cookie of the authorization server', () => {
    expect(stored).not.to.include('"cookie"');
    expect(stored).not.to.include('"jti"');
  });

  it('has none of them in its log', () => {
    expect(logged.length).to.be.above(500);
    for (const secret of secrets.filter((each) => each.startsWith('gamehost_')))
      expect(logged).not.to.include(secret);
  });
});
