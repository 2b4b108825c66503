/** What the database holds of apps is of no use to its reader: no token, code, secret or pending request stands in it. */
import { expect } from 'chai';
import { begin, connectApp, refresh, register, registration, resume } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';
import { storedText } from '../../support/stored-text.ts';

describe('the database of a service with apps', () => {
  const service = useService({ hasApps: true, logLevel: 'info' });
  let stored: string;
  let secrets: string[];

  before(async () => {
    const { tokens, code, flow, account, clientId } = await connectApp(service, await service.addUser());
    const renewed = (await refresh(service, clientId, tokens.refresh_token)).body;
    await service.call('GET', `/tickets/${tokens.access_token}`, { key: renewed.access_token });
    const metadata = { ...registration, token_endpoint_auth_method: 'client_secret_basic' };
    const { client_secret } = (await register(service, metadata)).body;
    const pending = await begin(service, { clientId });
    const answered = await begin(service, { clientId });
    const headers = { 'Idempotency-Key': 'allowed' };
    const allowing = { request_id: answered.id, scopes: ['read:account'] };
    expect((await account.call('apps.allow', allowing, headers)).status).to.equal(200);
    const denied = await begin(service, { clientId });
    await account.call('apps.deny', { request_id: denied.id }, { 'Idempotency-Key': 'denied' });
    const refused = await begin(service, { clientId });
    await resume(service, { ...refused, cookie: '' }, account);
    secrets = [
      ...[tokens.access_token, tokens.refresh_token, renewed.access_token, renewed.refresh_token],
      ...[code, client_secret, flow.verifier],
      ...[pending.id, answered.id, denied.id, refused.id, ...account.cookies.values()],
    ];
    await service.flushAudit();
    stored = await storedText(service);
  });

  it('has none of them in clear', () => {
    expect(secrets).to.have.length(12);
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
    const logged = service.logLines.join('');
    expect(logged.length).to.be.above(500);
    for (const secret of secrets.filter((each) => each.startsWith('gamehost_')))
      expect(logged).not.to.include(secret);
  });
});
