/** The tools of webhooks: an agent finds out why events do not arrive and sends one again, and reads no secret. */
import { expect } from 'chai';
import { createSendMessage, refusalOf, toolCall } from '../support/mcp.ts';
import { useService } from '../support/service.ts';

describe('the tools of webhooks', () => {
  const service = useService();
  let key: string;

  beforeEach(async () => {
    ({ secret: key } = await service.addKey({ scopes: ['write:webhooks'] }));
  });

  const send = (name: string, args: object = {}) =>
    createSendMessage(service.url)(toolCall(name, args), { key });
  const call = async (name: string, args?: object) => (await send(name, args)).body.result.structuredContent;
  const create = async (url: string, format: string) =>
    (await service.call('POST', '/webhooks', { key, body: { url, format, events: ['*'] } })).body;

  it('list webhooks without the secret parts of their addresses, and without what signs', async () => {
    const { secret } = await create('https://93.184.215.14/hooks?token=hidden', 'standard');
    await create('https://discord.com/api/webhooks/123/hidden', 'discord');
    const { text, body } = await send('list_my_webhooks');
    const urls = body.result.structuredContent.webhooks.map(({ url }: { url: string }) => url);
    expect(urls).to.have.members([
      ...['https://93.184.215.14/hooks?...', 'https://discord.com/api/webhooks/123/...'],
    ]);
    expect(text).not.to.match(/hidden|whsec_/);
    expect(text).not.to.include(secret);
  });

  it('test a webhook, show its deliveries, and send one of them again', async () => {
    const { webhook } = await create('https://93.184.215.14/hooks', 'standard');
    const webhook_id: string = webhook.id;
    const { delivery } = await call('test_webhook', { webhook_id });
    expect(delivery).to.include({ type: 'webhook.test', status: 'pending' });
    const again = await call('redeliver_webhook_event', { webhook_id, delivery_id: delivery.id });
    expect(again.delivery.event_id).to.equal(delivery.event_id);
    const { deliveries } = await call('list_webhook_deliveries', { webhook_id });
    expect(deliveries.map(({ id }: { id: string }) => id)).to.have.members([delivery.id, again.delivery.id]);
  });

  it('insufficient_scope: to a key without write:webhooks', async () => {
    const { secret } = await service.addKey({ scopes: ['read:account'] });
    const answer = await createSendMessage(service.url)(toolCall('list_my_webhooks', {}), { key: secret });
    expect(refusalOf(answer).error.message).to.equal(
      'This key lacks the scope write:webhooks: create a key with it',
    );
  });
});
