/** The account page's procedures for webhooks: whose they are, and what they say where webhooks are off. */
import { expect } from 'chai';
import { signedIn } from '../../support/account.ts';
import { connectApp } from '../../support/oauth-app.ts';
import { startTestService, useService } from '../../support/service.ts';
import { webhookSettings } from '../../support/webhook-service.ts';

describe('webhooks over the account page', () => {
  const service = useService({ hasApps: true, config: { webhooks: webhookSettings } });

  const request = { url: 'http://127.0.0.1:9/hook', events: ['*' as const] };

  const connect = ({ email }: { email: string }) =>
    connectApp(service, { email, params: { scope: 'write:webhooks' } });

  it('are only those of the visitor', async () => {
    const [own, other] = await Promise.all([
      signedIn(service.url, await service.addUser()),
      signedIn(service.url, await service.addUser()),
    ]);
    const { webhook } = await own.api.webhooks.create.mutate(request);
    expect((await other.api.webhooks.list.query()).webhooks).to.deep.equal([]);
    const answer = await other.call('webhooks.delete', { webhook_id: webhook.id });
    expect([answer.status, answer.body.error.message]).to.deep.equal([404, 'Webhook not found']);
    expect((await own.api.webhooks.list.query()).webhooks).to.have.lengthOf(1);
  });

  it('name the key or the app that made each, also once the app was revoked as leaked', async () => {
    const user = await service.addUser();
    const { secret } = await service.addKey({ user });
    const { account, tokens } = await connect(user);
    for (const key of [secret, tokens.access_token])
      expect((await service.call('POST', '/webhooks', { key, body: request })).status).to.equal(201);
    const credentials = [tokens.access_token];
    await service.call('POST', '/credentials/revoke', { body: { credentials } });
    const { webhooks } = await account.api.webhooks.list.query();
    expect(webhooks.map(({ made_by, active }) => [made_by, active])).to.deep.equal([
      ['Test agent', false],
      ['test', true],
    ]);
  });

  it('say what is known of one that was stored without the name of its app, as earlier versions did', async () => {
    const user = await service.addUser();
    const { account, tokens } = await connect(user);
    await service.call('POST', '/webhooks', { key: tokens.access_token, body: request });
    await service.connection.collection('webhooks').updateMany({}, { $unset: { appName: 1 } });
    const names = async () =>
      (await account.api.webhooks.list.query()).webhooks.map(({ made_by }) => made_by);
    expect(await names()).to.deep.equal(['Test agent']);
    await service.call('POST', '/credentials/revoke', { body: { credentials: [tokens.access_token] } });
    expect(await names()).to.deep.equal(['a key that no longer exists']);
  });

  it('are not offered where they are off', async () => {
    const other = await startTestService({ config: { hasWebhooks: false } });
    const account = await signedIn(other.url, await other.addUser());
    const { settings } = await account.api.session.current.query();
    const answer = await account.call('webhooks.create', request);
    await other.stop();
    expect(settings.webhooks).to.equal(false);
    expect([answer.status, answer.body.error.message]).to.deep.equal([400, 'Webhooks are turned off']);
  });
});
