/** The database must not help a thief: it holds no app token, code, secret or pending request in clear. */
import { expect } from 'chai';
import { begin, connectApp, refresh, register, registration, resume } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';
import { storedText } from '../../support/stored-text.ts';

describe('a service with apps', () => {
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

  it('stores none of their tokens, codes or secrets in clear', () => {
    expect(secrets).to.have.length(12);
    expect(stored.length).to.be.above(5000);
    for (const secret of secrets) {
      expect(secret.length).to.be.above(20);
      expect(stored).not.to.include(secret);
    }
  });

  it('stores no cookie of the authorization server', () => {
    expect(stored).not.to.include('"cookie"');
    expect(stored).not.to.include('"jti"');
  });

  it('logs none of their tokens or secrets', () => {
    const logged = service.logLines.join('');
    expect(logged.length).to.be.above(500);
    for (const secret of secrets.filter((each) => each.startsWith('gamehost_')))
      expect(logged).not.to.include(secret);
  });
});
