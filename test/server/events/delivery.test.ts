/** Deliveries to a real receiver: what arrives, signed how, when it is tried again, and what ends it. */

import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../support/eventually.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { useWebhookService } from '../../support/webhook-service.ts';

describe('deliveries of webhooks', () => {
  const { service, receiver, calls } = useWebhookService();
  const { openTicket } = calls;

  const create = (key: string, body?: object) => calls.createWebhook(key, receiver.url, body);

  it('are verified by standardwebhooks, and hold the ticket as a GET shows it', async () => {
    const { secret: key } = await service.addKey();
    const { secret } = await create(key);
    const { ticket } = (await openTicket(key)).body;
    const [request] = await receiver.waitFor(1);
    const verified = new Webhook(secret).verify(
      request?.text ?? '',
      request?.headers as Record<string, string>,
    );
    const shown = (await service.call('GET', `/tickets/${ticket.id}`, { key })).body.ticket;
    expect(verified).to.deep.include({ type: 'ticket.created', data: { ticket: shown } });
  });

  it('of an announcement go to no webhook that was created after it, however soon', async () => {
    const { secret: admin } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const { secret: key } = await service.addKey();
    const events = ['announcement.published'];
    const publish = (title: string) =>
      service.call('POST', '/admin/announcements', {
        ...{ key: admin, body: { title, message: 'Tonight.', status: 'published' } },
      });
    await create(key, { events });
    await publish('first');
    await receiver.waitFor(1);
    await create(key, { events, url: `${receiver.origin}/later` });
    service.clock.advance(1);
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

  it("reach the host's endpoints with the customer concerned, and no other customer's", async () => {
    const { secret: admin } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const { secret: other } = await service.addKey();
    const { secret: key, user } = await service.addKey();
    const elsewhere = await startReceiver();
    const body = { url: receiver.url, events: ['ticket.created'] };
    await service.call('POST', '/admin/webhooks', { key: admin, body });
    await service.call('POST', '/webhooks', { key: other, body: { ...body, url: elsewhere.url } });
    await openTicket(key);
    const [request] = await receiver.waitFor(1);
    expect(request?.body.data.user).to.deep.equal({ id: user._id, email: user.email, external_id: null });
    expect(request?.body.data.ticket.user).to.deep.include({ id: user._id, email: user.email });
    await openTicket(other);
    const [own] = await elsewhere.waitFor(1);
    expect(own?.body.data).to.have.all.keys('ticket');
    expect(elsewhere.received).to.have.lengthOf(1);
    await elsewhere.stop();
  });

  it('are tried again with the same webhook-id after a failure, and then succeed', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await create(key, { events: ['ticket.created'] });
    receiver.respondWith(503);
    await openTicket(key);
    const failed = await calls.untilTried(key, webhook.id);
    expect(failed).to.include({ status: 'pending' });
    expect(failed.attempts[0]).to.include({ status: 503, error: 'status' });
    receiver.respondWith(200);
    service.clock.advance(6000);
    const [first, second] = await receiver.waitFor(2);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    expect(await calls.untilTried(key, webhook.id, 2)).to.include({ status: 'delivered' });
  });

  it('stop at once when the receiver says 410, and the webhook says why', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await create(key, { events: ['ticket.created'] });
    receiver.respondWith(410);
    await openTicket(key);
    const read = async () => (await service.call('GET', `/webhooks/${webhook.id}`, { key })).body.webhook;
    await eventually(async () => expect(await read()).to.include({ active: false }));
    expect((await read()).disabled_reason).to.include('410');
    const test = await service.call('POST', `/webhooks/${webhook.id}/test`, { key });
    expect(test.status).to.equal(400);
  });

  it('leave on what was given another address meanwhile, when the one before says 410', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await create(key, { events: ['ticket.created'] });
    const answer = receiver.hold();
    await openTicket(key);
    await receiver.waitFor(1);
    const body = { url: `${receiver.origin}/new` };
    await service.call('PATCH', `/webhooks/${webhook.id}`, { key, body });
    answer(410);
    await calls.untilTried(key, webhook.id);
    receiver.respondWith(204);
    service.clock.advance(6000);
    expect(await calls.untilTried(key, webhook.id, 2)).to.include({ status: 'delivered' });
    const read = await service.call('GET', `/webhooks/${webhook.id}`, { key });
    expect(read.body.webhook).to.include({ active: true, disabled_reason: null });
  });

  it('turn off a webhook whose address cannot be decrypted, and go on to the others', async () => {
    const { secret: admin } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const { secret: broken } = await service.addKey();
    const { secret: key } = await service.addKey();
    const events = ['announcement.published'];
    const { webhook } = await create(broken, { events });
    const stored = service.connection.collection<{ _id: string }>('webhooks');
    await stored.updateOne({ _id: webhook.id }, { $set: { url: 'AAAA' } });
    await create(key, { events });
    const body = { title: 'Tonight', message: 'Maintenance.', status: 'published' };
    await service.call('POST', '/admin/announcements', { key: admin, body });
    await receiver.waitFor(1);
    const disabledReason = 'Its address cannot be decrypted';
    await eventually(async () =>
      expect(await stored.findOne({ _id: webhook.id })).to.include({ isActive: false, disabledReason }),
    );
    // Its owner sees it, and the others.
    const { body: list, status } = await service.call('GET', '/webhooks', { key: broken });
    expect(status).to.equal(200);
    const shown = list.webhooks.find(({ id }: { id: string }) => id === webhook.id);
    expect(shown).to.include({ url: '', active: false, disabled_reason: disabledReason });
  });

  it('are below 20,000 bytes: a longer message is cut, and says so', async () => {
    const { secret: key } = await service.addKey();
    const { id } = (await openTicket(key)).body.ticket;
    await create(key, { events: ['ticket.replied'] });
    const message = '\u{1F600}'.repeat(10_000);
    await service.call('POST', `/tickets/${id}/reply`, { key, body: { message } });
    const [request] = await receiver.waitFor(1);
    expect(Buffer.byteLength(request?.text ?? '')).to.be.within(19_000, 19_999);
    expect(request?.body.data.truncated).to.equal(true);
    expect(request?.body.data.message.message).to.match(/^(\u{1F600})+$/u);
  });
});
