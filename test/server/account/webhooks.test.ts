/** The account page's procedures for webhooks: whose they are, and what they say where webhooks are off. */
import { expect } from 'chai';
import { signedIn } from '../../support/account.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { webhookSettings } from '../../support/webhook-service.ts';

describe('webhooks over the account page', () => {
  let service: TestService;

  before(async () => {
    service = await startTestService({ config: { webhooks: webhookSettings } });
  });
  after(() => service.stop());

  const request = { url: 'http://127.0.0.1:9/hook', events: ['*' as const] };

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
