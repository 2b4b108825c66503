/** The account page's procedures for webhooks: the creator of each, and the response where webhooks are off. */
import { expect } from 'chai';
import { signInAccount } from '../../support/account.ts';
import { connectApp } from '../../support/oauth-app.ts';
import { startTestService, useService } from '../../support/service.ts';
import { webhookSettings } from '../../support/webhook-service.ts';

describe('webhooks over the account page', () => {
  const service = useService({ hasApps: true, config: { webhooks: webhookSettings } });

  const request = { url: 'http://127.0.0.1:9/hook', events: ['*' as const] };

  it('name the key or app that created each, even after the app was revoked as leaked', async () => {
    const user = await service.addUser();
    const { secret } = await service.addKey({ user });
    const params = { scope: 'write:webhooks' };
    const { account, tokens } = await connectApp(service, { email: user.email, params });
    const create = async (key: string) =>
      expect((await service.call('POST', '/webhooks', { key, body: request })).status).to.equal(201);
    const makers = async () =>
      (await account.api.webhooks.list.query()).webhooks.map(({ made_by, active }) => [made_by, active]);
    await create(secret);
    await create(tokens.access_token);
    expect(await makers()).to.deep.equal([
      ['Test agent', true],
      ['test', true],
    ]);
    await service.call('POST', '/credentials/revoke', { body: { credentials: [tokens.access_token] } });
    expect(await makers()).to.deep.equal([
      ['Test agent', false],
      ['test', true],
    ]);
  });

  it('are unavailable where they are off', async () => {
    const other = await startTestService({ config: { hasWebhooks: false } });
    const account = await signInAccount(other.url, await other.addUser());
    const { settings } = await account.api.session.current.query();
    const answer = await account.call('webhooks.create', request);
    await other.stop();
    expect(settings.webhooks).to.equal(false);
    expect([answer.status, answer.body.error.message]).to.deep.equal([400, 'Webhooks are turned off']);
  });
});
