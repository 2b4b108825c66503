/** Deliveries to a real receiver: content, signature, retries and their end. */

import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../support/eventually.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { useWebhookService } from '../../support/webhook-service.ts';

describe('webhook deliveries', () => {
  const { service, receiver, calls, subscribe } = useWebhookService();

  it('pass the check of standardwebhooks, and contain the ticket as GET returns it', async () => {
    const { key, secret, open } = await subscribe();
    const { ticket } = (await open()).body;
    const [request] = await receiver.waitFor(1);
    const verified = new Webhook(secret).verify(
      request?.text ?? '',
      request?.headers as Record<string, string>,
    );
    const shown = (await service.call('GET', `/tickets/${ticket.id}`, { key })).body.ticket;
    expect(verified).to.deep.include({ type: 'ticket.created', data: { ticket: shown } });
  });

  it('skip webhooks created after an announcement, however soon', async () => {
    const { secret: admin } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const events = ['announcement.published'];
    const publish = (title: string) =>
      service.call('POST', '/admin/announcements', {
        ...{ key: admin, body: { title, message: 'Tonight.', status: 'published' } },
      });
    await subscribe({ events });
    await publish('first');
    await receiver.waitFor(1);
    await subscribe({ events, url: `${receiver.origin}/later` });
    service.clock.advance(60_000);
    const sweeps = service.connection.collection('webhook_state');
    const sweptUpTo = { _id: 'announcements' as never, upTo: { $gte: new Date(service.clock.now()) } };
    await eventually(async () => expect(await sweeps.countDocuments(sweptUpTo)).to.equal(1));
    await publish('second');
    await receiver.waitFor(3);
    const titles = receiver.received
      .filter(({ path }) => path === '/later')
      .map(({ body }) => body.data.announcement.title);
    expect(titles).to.deep.equal(['second']);
  });

  it("reach the host's webhooks with the customer concerned, and no other customer's webhooks", async () => {
    const { secret: admin } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const { secret: key, user } = await service.addKey();
    const elsewhere = await startReceiver();
    const body = { url: receiver.url, events: ['ticket.created'] };
    await service.call('POST', '/admin/webhooks', { key: admin, body });
    const other = await subscribe({ ...body, url: elsewhere.url });
    await calls.openTicket(key);
    const [request] = await receiver.waitFor(1);
    expect(request?.body.data.user).to.deep.equal({ id: user._id, email: user.email, external_id: null });
    expect(request?.body.data.ticket.user).to.deep.include({ id: user._id, email: user.email });
    await other.open();
    const [own] = await elsewhere.waitFor(1);
    expect(own?.body.data).to.have.all.keys('ticket');
    expect(elsewhere.received).to.have.lengthOf(1);
    await elsewhere.stop();
  });

  it('are retried with the same webhook-id after a failure until they succeed', async () => {
    const { open, untilTried } = await subscribe({ events: ['ticket.created'] });
    receiver.respondWith(503);
    await open();
    const failed = await untilTried();
    expect(failed).to.include({ status: 'pending' });
    expect(failed.attempts[0]).to.include({ status: 503, error: 'status' });
    receiver.respondWith(200);
    service.clock.advance(6000);
    const [first, second] = await receiver.waitFor(2);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    expect(await untilTried(2)).to.include({ status: 'delivered' });
  });

  it('stop at once after a 410, and the webhook shows why', async () => {
    const { key, path, open, read } = await subscribe({ events: ['ticket.created'] });
    receiver.respondWith(410);
    await open();
    await eventually(async () => expect(await read()).to.include({ active: false }));
    expect((await read()).disabled_reason).to.include('410');
    const test = await service.call('POST', `${path}/test`, { key });
    expect(test.status).to.equal(400);
  });

  it('keep a webhook on if its address changed before the old one answered 410', async () => {
    const { key, path, open, untilTried, read } = await subscribe({ events: ['ticket.created'] });
    const answer = receiver.holdResponses();
    await open();
    await receiver.waitFor(1);
    const body = { url: `${receiver.origin}/new` };
    await service.call('PATCH', path, { key, body });
    answer(410);
    await untilTried();
    receiver.respondWith(204);
    service.clock.advance(6000);
    expect(await untilTried(2)).to.include({ status: 'delivered' });
    expect(await read()).to.include({ active: true, disabled_reason: null });
  });

  it('turn off a webhook whose address cannot be decrypted, and continue with the others', async () => {
    const { secret: admin } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const events = ['announcement.published'];
    const { key: broken, webhook } = await subscribe({ events });
    const stored = service.connection.collection<{ _id: string }>('webhooks');
    await stored.updateOne({ _id: webhook.id }, { $set: { url: 'AAAA' } });
    await subscribe({ events });
    const body = { title: 'Tonight', message: 'Maintenance.', status: 'published' };
    await service.call('POST', '/admin/announcements', { key: admin, body });
    await receiver.waitFor(1);
    const disabledReason = 'Its address cannot be decrypted';
    await eventually(async () =>
      expect(await stored.findOne({ _id: webhook.id })).to.include({ isActive: false, disabledReason }),
    );
    const { body: list, status } = await service.call('GET', '/webhooks', { key: broken });
    expect(status).to.equal(200);
    const shown = list.webhooks.find(({ id }: { id: string }) => id === webhook.id);
    expect(shown).to.include({ url: '', active: false, disabled_reason: disabledReason });
  });

  it('stay below 20,000 bytes: a longer message is cut and marked', async () => {
    const { key, open } = await subscribe({ events: ['ticket.replied'] });
    const { id } = (await open()).body.ticket;
    const message = '\u{1F600}'.repeat(10_000);
    await service.call('POST', `/tickets/${id}/reply`, { key, body: { message } });
    const [request] = await receiver.waitFor(1);
    expect(Buffer.byteLength(request?.text ?? '')).to.be.within(19_000, 19_999);
    expect(request?.body.data.truncated).to.equal(true);
    expect(request?.body.data.message.message).to.match(/^(\u{1F600})+$/u);
  });
});
