/** Events that are pending or happen while a webhook's owner must not get them are dropped, and never sent later. */

import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { waitForFanOut } from '../../support/webhook-calls.ts';
import { startSending, useWebhookService } from '../../support/webhook-service.ts';

describe('events that wait for a webhook', () => {
  const { service, receiver, calls } = useWebhookService();

  const typesAndTitles = () =>
    receiver.received.map(({ body }) => `${body.type} ${body.data.ticket?.subject ?? ''}`.trim());

  /** A webhook with a pending event that failed once. */
  async function waiting({ isAdmin = false } = {}) {
    const { secret: key, user } = await service.addKey({ user: await service.addUser({ isAdmin }) });
    const path = isAdmin ? '/admin/webhooks' : '/webhooks';
    const body = { url: receiver.url, events: ['ticket.created', 'announcement.published'] };
    const { webhook } = (await service.call('POST', path, { key, body })).body;
    receiver.respondWith(503);
    await calls.openTicket(key, 'pending');
    await receiver.waitFor(1);
    await eventually(async () => {
      const shown = await service.call('GET', `${path}/${webhook.id}/deliveries`, { key });
      expect(shown.body.deliveries[0].attempts).to.have.lengthOf(1);
    });
    receiver.respondWith(204);
    return { key, user, endpointId: webhook.id, path: `${path}/${webhook.id}` };
  }

  /** Every pending event would have been retried by then, and new events have arrived. */
  async function arrivesAfter(key: string) {
    service.clock.advance(6000);
    await calls.openTicket(key, 'afterward');
    await eventually(async () => expect(typesAndTitles()).to.include('ticket.created afterward'));
    return typesAndTitles();
  }

  const both = ['ticket.created pending', 'ticket.created afterward'];

  it('are dropped when its owner is suspended, like those that happen until the owner is resumed', async () => {
    const { key, user, path } = await waiting();
    await service.models.userAccess.setActive(user._id, false, new Date());
    const staff = await service.addUser({ isAdmin: true });
    const { secret: admin } = await service.addKey({ user: staff });
    const announcement = { title: 'Maintenance', message: 'Tonight.', status: 'published' };
    const published = await service.call('POST', '/admin/announcements', { key: admin, body: announcement });
    expect(published.status).to.equal(201);
    await waitForFanOut(service);
    await service.models.userAccess.setActive(user._id, true, new Date());
    expect(await arrivesAfter(key)).to.deep.equal(both);
    const { deliveries } = (await service.call('GET', `${path}/deliveries?status=failed`, { key })).body;
    expect(deliveries).to.have.lengthOf(1);
    expect(deliveries[0]).to.include({ next_attempt_at: null });
  });

  it("are dropped for good when the administrator who made a host's webhook loses the role", async () => {
    const { key, user } = await waiting({ isAdmin: true });
    const setAdmin = async (isAdmin: boolean) => {
      await service.models.users.change(user.email, { isAdmin });
      await service.models.webhooks.invalidateEarlierDeliveries([user._id], undefined, 'host');
    };
    await setAdmin(false);
    const { secret: customer } = await service.addKey();
    await calls.openTicket(customer, 'meanwhile');
    await waitForFanOut(service);
    await setAdmin(true);
    expect(await arrivesAfter(key)).to.deep.equal(both);
  });

  it('are deleted with it', async () => {
    const { key, path } = await waiting();
    expect((await service.call('DELETE', path, { key })).body).to.deep.equal({ deleted: true });
    await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    expect(await arrivesAfter(key)).to.deep.equal(both);
    expect((await service.call('GET', `${path}/deliveries`, { key })).status).to.equal(404);
  });

  it('are dropped when it is turned off, like those that happen until it is turned on again', async () => {
    const { key, path } = await waiting();
    const turn = async (active: boolean) => service.call('PATCH', path, { key, body: { active } });
    expect((await turn(false)).body.webhook).to.include({ active: false, disabled_reason: null });
    await calls.openTicket(key, 'meanwhile');
    expect((await turn(true)).body.webhook).to.include({ active: true, disabled_reason: null });
    expect(await arrivesAfter(key)).to.deep.equal(both);
  });

  it('no longer count as waiting when its owner is deleted', async () => {
    const { user, endpointId } = await waiting();
    const { models } = service;
    await models.transaction((session) => models.userAccess.delete(user._id, new Date(), session));
    service.clock.advance(120_000);
    const another = startSending(service);
    const stored = service.connection.collection('webhook_deliveries');
    await eventually(async () => expect(await stored.countDocuments({ endpointId })).to.equal(0));
    await another.stop();
    expect(typesAndTitles()).to.deep.equal(['ticket.created pending']);
  });
});
