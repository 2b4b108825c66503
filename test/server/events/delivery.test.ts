/** Deliveries to a real receiver: what arrives, signed how, when it is tried again, and what ends it. */

import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../../support/eventually.ts';
import { useStarted } from '../../support/use-started.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { startWebhookService } from '../../support/webhook-service.ts';

describe('deliveries of webhooks', () => {
  const service = useStarted(() => startWebhookService());
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  const create = async (key: string, body: object = {}) =>
    (await service.call('POST', '/webhooks', { key, body: { url: receiver.url, events: ['*'], ...body } }))
      .body;
  const until = (isTrue: () => Promise<boolean>) =>
    eventually(async () => {
      if (!(await isTrue())) throw new Error('it did not become true');
    });
  const openTicket = (key: string, message = 'Since noon.') =>
    service.call('POST', '/tickets', { key, body: { title: 'Lag', message } });
  const deliveriesOf = async (key: string, id: string) =>
    (await service.call('GET', `/webhooks/${id}/deliveries`, { key })).body.deliveries;

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

  it('tell of a reply that makes a new ticket Active, and of the change', async () => {
    const { secret: key } = await service.addKey();
    const { id } = (await openTicket(key)).body.ticket;
    await create(key, { events: ['ticket.replied', 'ticket.status_changed'] });
    await service.call('POST', `/tickets/${id}/reply`, { key, body: { message: 'Still.' } });
    const requests = await receiver.waitFor(2);
    const dataOf = (type: string) => requests.find(({ body }) => body.type === type)?.body.data;
    expect(dataOf('ticket.replied').message).to.include({ number: 2, message: 'Still.', author: 'customer' });
    expect(dataOf('ticket.status_changed')).to.deep.include({ previous_status: 'New' });
    expect(dataOf('ticket.status_changed').ticket.status).to.equal('Active');
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
    const { webhook } = await create(key, { events, url: `${receiver.origin}/later` });
    service.clock.advance(1);
    const sweeps = service.connection.collection('webhook_state');
    const sweptUpTo = { _id: 'announcements' as never, upTo: { $gte: new Date(service.clock.now()) } };
    await until(async () => (await sweeps.countDocuments(sweptUpTo)) > 0);
    await publish('second');
    await until(async () => (await deliveriesOf(key, webhook.id)).length > 0);
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
    await until(async () => (await deliveriesOf(key, webhook.id))[0]?.attempts.length === 1);
    const [failed] = await deliveriesOf(key, webhook.id);
    expect(failed).to.include({ status: 'pending' });
    expect(failed.attempts[0]).to.include({ status: 503, error: 'status' });
    receiver.respondWith(200);
    service.clock.advance(6000);
    const [first, second] = await receiver.waitFor(2);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    await until(async () => (await deliveriesOf(key, webhook.id))[0]?.status === 'delivered');
  });

  it('stop at once when the receiver says 410, and the webhook says why', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await create(key, { events: ['ticket.created'] });
    receiver.respondWith(410);
    await openTicket(key);
    const read = async () => (await service.call('GET', `/webhooks/${webhook.id}`, { key })).body.webhook;
    await until(async () => !(await read()).active);
    expect((await read()).disabled_reason).to.include('410');
    const test = await service.call('POST', `/webhooks/${webhook.id}/test`, { key });
    expect(test.status).to.equal(400);
  });

  it('follow no redirect', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await create(key, { events: ['server.power'] });
    receiver.respondWith(302, { Location: 'http://169.254.169.254/' });
    await service.call('POST', `/webhooks/${webhook.id}/test`, { key });
    await until(async () => (await deliveriesOf(key, webhook.id))[0]?.attempts.length === 1);
    const [delivery] = await deliveriesOf(key, webhook.id);
    expect(delivery.attempts[0]).to.include({ status: 302, error: 'redirect' });
  });

  it('are signed with both secrets after a rotation', async () => {
    const { secret: key } = await service.addKey();
    const { webhook, secret: old } = await create(key, { events: ['server.power'] });
    const rotated = await service.call('POST', `/webhooks/${webhook.id}/rotate-secret`, { key });
    await service.call('POST', `/webhooks/${webhook.id}/test`, { key });
    const [request] = await receiver.waitFor(1);
    for (const secret of [old, rotated.body.secret])
      new Webhook(secret).verify(request?.text ?? '', request?.headers as Record<string, string>);
  });

  it('end for a suspended customer, and are not made up for later', async () => {
    const user = await service.addUser();
    const { secret: key } = await service.addKey({ user });
    await create(key, { events: ['ticket.created'] });
    receiver.respondWith(503);
    await openTicket(key);
    await receiver.waitFor(1);
    await service.models.userAccess.setActive(user._id, false, new Date());
    await service.models.userAccess.setActive(user._id, true, new Date());
    receiver.respondWith(200);
    service.clock.advance(6000);
    await openTicket(key);
    const requests = await receiver.waitFor(2);
    const ids = requests.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).to.equal(2);
  });

  it('are below 20,000 bytes: a longer message is cut, and says so', async () => {
    const { secret: key } = await service.addKey();
    const { id } = (await openTicket(key)).body.ticket;
    await create(key, { events: ['ticket.replied'] });
    await service.call('POST', `/tickets/${id}/reply`, {
      key,
      body: { message: '\u{1F600}'.repeat(10_000) },
    });
    const [request] = await receiver.waitFor(1);
    expect(Buffer.byteLength(request?.text ?? '')).to.be.within(19_000, 19_999);
    expect(request?.body.data.truncated).to.equal(true);
    expect(request?.body.data.message.message).to.match(/^(\u{1F600})+$/u);
  });
});
