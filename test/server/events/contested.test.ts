/** A webhook ends with its key, whatever others who have keys of its owner do to keep it. */
import { expect } from 'chai';
import { signedIn } from '../../support/account.ts';
import { useWebhookService } from '../../support/webhook-service.ts';

describe('a webhook that others change', () => {
  const { service, receiver, calls } = useWebhookService({});

  const toTickets = { events: ['ticket.created'] };
  const getWebhook = async (key: string, id: string) =>
    (await service.call('GET', `/webhooks/${id}`, { key })).body.webhook;

  it('ends with its key at once, while another key changes the same webhook all the time', async () => {
    const { user, secret, key: maker } = await service.addKey();
    const { secret: key } = await service.addKey({ user });
    const { id } = (await calls.createWebhook(secret, receiver.url, toTickets)).webhook;
    const { api } = await signedIn(service.url, user);
    let isRevoked = false;
    const changing = [1, 2, 3, 4].map(async (client) => {
      for (let turn = 0; !isRevoked; turn += 1) {
        const body = { description: `${client} ${turn}` };
        await service.call('PATCH', `/webhooks/${id}`, { key, body });
      }
    });
    await api.keys.revoke.mutate({ id: maker._id });
    isRevoked = true;
    await Promise.all(changing);
    expect(await getWebhook(key, id)).to.include({ active: false });
  });

  it('ends with the key that turned it on again, whatever ended it before and whoever had it then', async () => {
    const { user, secret, key: maker } = await service.addKey();
    const { webhook } = await calls.createWebhook(secret, receiver.url, toTickets);
    const { api } = await signedIn(service.url, user);
    await api.keys.rotate.mutate({ id: maker._id, overlap_hours: 1 });
    await service.call('PATCH', `/webhooks/${webhook.id}`, { key: secret, body: { active: false } });
    await service.call('POST', '/credentials/revoke', { body: { credentials: [secret] } });
    const { secret: stolen, key: thief } = await service.addKey({ user });
    await service.call('PATCH', `/webhooks/${webhook.id}`, { key: stolen, body: { active: true } });
    await api.keys.revoke.mutate({ id: thief._id });
    const { secret: key } = await service.addKey({ user });
    expect(await getWebhook(key, webhook.id)).to.include({
      active: false,
      disabled_reason: 'The key that made it, or set its address, was revoked',
    });
  });
});
