/** The events of each write, as a webhook gets them, and the result if an event cannot be stored. */

import { expect } from 'chai';
import { sweepExpiringKeys } from '../../../server/events/sweeps.ts';
import { signInAccount } from '../../support/account.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { useForEach } from '../../support/use-started.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { useWebhookService } from '../../support/webhook-service.ts';

const dayMs = 86_400_000;

describe('the event of', () => {
  const { service, receiver, calls } = useWebhookService();
  const hostReceiver = useForEach(startReceiver);
  let admin: string;

  beforeEach(async () => {
    const staff = await service.addUser({ isAdmin: true });
    admin = (await service.addKey({ user: staff })).secret;
  });
  afterEach(async () => {
    for (const { id } of (await service.call('GET', '/admin/webhooks', { key: admin })).body.webhooks)
      await service.call('DELETE', `/admin/webhooks/${id}`, { key: admin });
  });

  /** A customer and the host, with a webhook each for these events. */
  async function subscribed(...events: string[]) {
    const user = await service.addUser({ externalId: `ext-${receiver.origin.split(':').at(-1)}` });
    const { secret: key } = await service.addKey({ user });
    await calls.createWebhook(key, receiver.url, { events });
    const body = { url: hostReceiver.url, events };
    expect((await service.call('POST', '/admin/webhooks', { key: admin, body })).status).to.equal(201);
    return { user, key, concerned: { id: user._id, email: user.email, external_id: user.externalId } };
  }

  const bodies = async ({ waitFor }: WebhookReceiver, count: number) =>
    (await waitFor(count)).map(({ body: { type, data } }) => ({ type, data }));

  it('a key created, rotated or revoked on the account page shows it as the list does, without its secret', async () => {
    const { user, concerned } = await subscribed('key.created', 'key.revoked');
    const { api } = await signInAccount(service.url, user);
    const request = { name: 'CI', scopes: ['read:account'], expires_at: null };
    const made = await api.keys.create.mutate({ ...request, servers: null, addresses: null });
    await receiver.waitFor(1);
    const rotated = await api.keys.rotate.mutate({ id: made.key.id, overlap_hours: 1 });
    await receiver.waitFor(2);
    await api.keys.revoke.mutate({ id: rotated.key.id });
    const shown = ({ key: { name, prefix, scopes, expires_at } }: typeof made) => ({
      ...{ name, prefix, scopes, expires_at },
    });
    const expected = [
      { type: 'key.created', data: { key: shown(made), reason: null } },
      { type: 'key.created', data: { key: shown(rotated), reason: 'rotated' } },
      { type: 'key.revoked', data: { key: shown(rotated), reason: null } },
    ];
    expect(await bodies(receiver, 3)).to.deep.equal(expected);
    const asHost = expected.map(({ type, data }) => ({ type, data: { ...data, user: concerned } }));
    expect(await bodies(hostReceiver, 3)).to.have.deep.members(asHost);
    for (const { secret } of [made, rotated])
      expect(JSON.stringify(receiver.received)).to.not.include(secret);
  });

  it('a leaked key says so', async () => {
    const { user } = await subscribed('key.revoked');
    const { secret, key } = await service.addKey({ user });
    await service.call('POST', '/credentials/revoke', { body: { credentials: [secret] } });
    const [{ data } = { data: null }] = await bodies(receiver, 1);
    expect(data).to.deep.include({ reason: 'leaked' });
    expect(data.key.prefix).to.equal(key.prefix);
  });

  it('an expiring key is sent seven days ahead and once, though every process looks for it', async () => {
    const { user } = await subscribed('key.expiring', 'ticket.created');
    const expiresAt = new Date(service.clock.now() + 8 * dayMs);
    const { key, secret } = await service.addKey({ user, expiresAt });
    await calls.openTicket(secret);
    await receiver.waitFor(1);
    const process = { models: service.models, clock: service.clock.now };
    await sweepExpiringKeys(process);
    service.clock.advance(dayMs + 60_000);
    await Promise.all([sweepExpiringKeys(process), sweepExpiringKeys(process)]);
    await calls.openTicket(secret);
    const arrived = await bodies(receiver, 3);
    const expiring = arrived.filter(({ type }) => type === 'key.expiring');
    expect(expiring).to.have.lengthOf(1);
    expect(expiring[0]?.data.key).to.include({ prefix: key.prefix, expires_at: expiresAt.toISOString() });
  });

  it('a key that expires within seven days is sent once, with the first subscription', async () => {
    const user = await service.addUser();
    const { secret } = await service.addKey({ user });
    const soon = await service.addKey({ user, expiresAt: new Date(service.clock.now() + dayMs) });
    await service.addKey({ user, expiresAt: new Date(service.clock.now() + 8 * dayMs) });
    const { webhook } = await calls.createWebhook(secret, receiver.url, { events: ['ticket.created'] });
    for (const events of [['key.expiring', 'ticket.created'], ['*']])
      await service.call('PATCH', `/webhooks/${webhook.id}`, { key: secret, body: { events } });
    await calls.openTicket(secret);
    const arrived = await bodies(receiver, 2);
    expect(arrived.map(({ type }) => type)).to.have.members(['key.expiring', 'ticket.created']);
    const expiring = arrived.find(({ type }) => type === 'key.expiring');
    expect(expiring?.data.key.prefix).to.equal(soon.key.prefix);
  });

  it('a subscription is sent when the host creates, changes, moves or deletes it', async () => {
    const { user, key } = await subscribed('subscription.changed', 'subscription.deleted');
    const other = await service.addUser({ externalId: `${user.externalId}-other` });
    const put = (externalId: string | null, status: string) =>
      service.call('PUT', '/admin/subscriptions/prov_1', { key: admin, body: { user: externalId, status } });
    await put(user.externalId, 'trialing');
    const { subscriptions } = (await service.call('GET', '/subscriptions', { key })).body;
    await put(user.externalId, 'trialing');
    await put(user.externalId, 'active');
    await put(other.externalId, 'active');
    await put(user.externalId, 'active');
    await service.call('DELETE', '/admin/subscriptions/prov_1', { key: admin });
    const subscription = { ...subscriptions[0], status: 'active' };
    expect(await bodies(receiver, 5)).to.have.deep.members([
      { type: 'subscription.changed', data: { subscription: subscriptions[0], previous_status: null } },
      { type: 'subscription.changed', data: { subscription, previous_status: 'trialing' } },
      { type: 'subscription.deleted', data: { subscription } },
      { type: 'subscription.changed', data: { subscription, previous_status: null } },
      { type: 'subscription.deleted', data: { subscription } },
    ]);
    expect(await bodies(hostReceiver, 7)).to.have.lengthOf(7);
  });

  it('a subscription is sent when its name, price or renewal changes, and not when they stay', async () => {
    const { user } = await subscribed('subscription.changed');
    const put = (fields: object) => {
      const body = { user: user.externalId, status: 'active', ...fields };
      return service.call('PUT', '/admin/subscriptions/prov_3', { key: admin, body });
    };
    await put({});
    const changes = [
      { name: 'Survival 8 GB' },
      { price: '€12.00 a month' },
      { renews_at: '2026-12-01T00:00:00.000Z' },
      { renews_at: null },
    ];
    await receiver.waitFor(1);
    for (const [index, change] of changes.entries()) {
      await put(change);
      await put(change);
      await put({});
      const last = (await bodies(receiver, index + 2)).at(-1);
      expect({ ...last?.data.subscription, previous_status: last?.data.previous_status }).to.include({
        ...change,
        previous_status: 'active',
      });
    }
    expect(receiver.received).to.have.lengthOf(5);
  });

  it('each subscription and key that ends with its customer is sent to the host, with its owner', async () => {
    const { user, key, concerned } = await subscribed('subscription.deleted', 'key.revoked');
    const body = { user: user.externalId, status: 'active' };
    await service.call('PUT', '/admin/subscriptions/prov_2', { key: admin, body });
    const { subscriptions } = (await service.call('GET', '/subscriptions', { key })).body;
    await service.call('DELETE', `/admin/users/${user.externalId}`, { key: admin });
    const told = await bodies(hostReceiver, 2);
    const [deleted, revoked] = told.toSorted((one, other) => other.type.localeCompare(one.type));
    expect(deleted?.data).to.deep.equal({ subscription: subscriptions[0], user: concerned });
    expect(revoked?.data).to.deep.include({ reason: null, user: concerned });
    expect(receiver.received).to.deep.equal([]);
  });

  it('an announcement is sent once, at its time, and not again when it is edited', async () => {
    const { key } = await subscribed('announcement.published', 'ticket.created');
    const body = { title: 'Maintenance', message: 'Tonight.', status: 'draft' };
    const { announcement } = (await service.call('POST', '/admin/announcements', { key: admin, body })).body;
    const path = `/admin/announcements/${announcement.id}`;
    const publish_at = new Date(service.clock.now() + 60_000).toISOString();
    const change = (changes: object) => service.call('PATCH', path, { key: admin, body: changes });
    expect((await change({ publish_at })).status).to.equal(200);
    await calls.openTicket(key);
    await receiver.waitFor(1);
    service.clock.advance(61_000);
    await receiver.waitFor(2);
    await change({ title: 'Maintenance tonight' });
    await calls.openTicket(key);
    const arrived = await bodies(receiver, 3);
    const shown = (await service.call('GET', '/announcements', { key })).body.announcements[0];
    expect(arrived.map(({ type }) => type).sort()).to.deep.equal([
      ...['announcement.published', 'ticket.created', 'ticket.created'],
    ]);
    const published = arrived.find(({ type }) => type === 'announcement.published');
    expect(published?.data).to.deep.equal({ announcement: { ...shown, title: 'Maintenance' } });
    const asHost = (await bodies(hostReceiver, 3)).find(({ type }) => type === 'announcement.published');
    expect(asHost?.data).to.deep.equal(published?.data);
  });

  it('an answer that closes a ticket is sent as two: the reply, then the change of status', async () => {
    const { key } = await subscribed('ticket.replied', 'ticket.status_changed');
    const { id } = (await calls.openTicket(key)).body.ticket;
    const body = { message: 'It is fixed.', close: true };
    await service.call('POST', `/admin/tickets/${id}/reply`, { key: admin, body });
    const arrived = await bodies(receiver, 2);
    const replied = arrived.find(({ type }) => type === 'ticket.replied');
    const changed = arrived.find(({ type }) => type === 'ticket.status_changed');
    const shown = (await service.call('GET', `/tickets/${id}`, { key })).body;
    expect(replied?.data.message).to.deep.equal(shown.messages.at(-1));
    expect(changed?.data).to.deep.equal({ ticket: shown.ticket, previous_status: 'New' });
    const [first] = await bodies(hostReceiver, 2);
    const asStaff = (await service.call('GET', `/admin/tickets/${id}`, { key: admin })).body.ticket;
    const { assignee: _, ...withoutAssignee } = asStaff; // contract 5: events stay as they are
    expect(first?.data.ticket).to.deep.equal(withoutAssignee);
  });

  it("a test is empty, also at the host's webhooks", async () => {
    await subscribed('server.power');
    const [{ id }] = (await service.call('GET', '/admin/webhooks', { key: admin })).body.webhooks;
    expect((await service.call('POST', `/admin/webhooks/${id}/test`, { key: admin })).status).to.equal(202);
    expect(await bodies(hostReceiver, 1)).to.deep.equal([{ type: 'webhook.test', data: {} }]);
  });

  describe('a write', () => {
    /** Makes MongoDB refuse to store these from now on. */
    const refuseEvents = (isRefused: boolean) =>
      service.connection.db?.command({
        ...{ collMod: 'webhook_events', validator: isRefused ? { $expr: false } : {} },
      });
    afterEach(() => refuseEvents(false));

    it('prevents the write if it cannot be stored: the caller gets 500, the panel no signal, and a retry sends one', async () => {
      const { key, user } = await subscribed('server.power');
      await service.models.users.change(user.email, { panelUserId: 7 });
      service.panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]);
      service.panel.forget();
      const power = (signal = 'restart') =>
        service.call('POST', '/servers/a1b2c3d4/power', { key, body: { signal } });
      await refuseEvents(true);
      expect((await power()).status).to.equal(500);
      expect(service.panel.signals).to.deep.equal([]);
      await refuseEvents(false);
      expect((await power()).status).to.equal(202);
      expect(service.panel.signals).to.deep.equal(['a1b2c3d4 restart']);
      const data = { server: { identifier: 'a1b2c3d4' }, signal: 'restart' };
      expect(await bodies(receiver, 1)).to.deep.equal([{ type: 'server.power', data }]);
    });

    it('does not exist if the panel refuses the write', async () => {
      const { key, user } = await subscribed('server.power', 'ticket.created');
      await service.models.users.change(user.email, { panelUserId: 8 });
      service.panel.servers.set(8, [panelServer({ identifier: 'b1b2c3d4' })]);
      service.panel.respondWith({ status: 500, body: '{}' });
      const power = await service.call('POST', '/servers/b1b2c3d4/power', { key, body: { signal: 'stop' } });
      service.panel.recover();
      expect(power.status).to.equal(502);
      const events = service.connection.collection('webhook_events');
      expect(await events.countDocuments({ type: 'server.power', userId: user._id })).to.equal(0);
    });
  });
});
