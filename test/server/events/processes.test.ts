/** Events with several processes at work: one dies, two send at once, their clocks differ. No event is lost or sent by two. */
import { expect } from 'chai';
import type { UserRecord } from '../../../models/user.ts';
import type { Dispatcher } from '../../../server/events/dispatcher.ts';
import { sweepTickets } from '../../../server/events/sweeps.ts';
import { signedIn } from '../../support/account.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestService } from '../../support/service.ts';
import { useForEach } from '../../support/use-started.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import {
  startSending,
  startSilentService,
  startWebhookService,
  webhookSettings,
} from '../../support/webhook-service.ts';

/** Longer than a process has a delivery for itself. */
const leaseMs = 46_000;
/** Longer than it has an event for itself that it has stored. */
const ownMs = 2_001;

describe('events of several processes', () => {
  const sending: Dispatcher[] = [];
  const stopSending = () => Promise.all(sending.splice(0).map((each) => each.stop()));
  afterEach(stopSending);
  const receiver = useForEach(startReceiver);
  const service = useForEach(startSilentService);
  const calls = createWebhookCalls(service);

  const anotherService = (isShared = false) =>
    startSilentService({}, { databaseUri: service.databaseUri, isShared });
  /** A busy machine may take longer for an attempt than the second that most tests give it. */
  const send = (each: TestService) =>
    void sending.push(startSending(each, { ...webhookSettings, timeoutMs: 20_000 }));

  it('are sent by another process where the one that stored them died at once', async () => {
    const { secret: key } = await service.addKey();
    await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    const dying = await anotherService();
    dying.models.webhookEvents.onRecorded(() => {}); // takes the event for itself, and does nothing any more
    expect((await createWebhookCalls(dying).openTicket(key)).status).to.equal(201);
    await dying.leave();
    service.clock.advance(ownMs);
    send(service);
    const [request] = await receiver.waitFor(1);
    expect(request?.body.type).to.equal('ticket.created');
  });

  it('are sent again with the same id where the process died before it knew the answer, when its lease has ended', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    const dying = await startWebhookService({}, { databaseUri: service.databaseUri });
    receiver.hang();
    await createWebhookCalls(dying).openTicket(key);
    const [first] = await receiver.waitFor(1);
    await dying.connection.close();
    await dying.stopSending();
    receiver.respondWith(204);
    send(service);
    await calls.openTicket(key);
    const [, other] = await receiver.waitFor(2);
    expect(other?.headers['webhook-id']).to.not.equal(first?.headers['webhook-id']);
    service.clock.advance(leaseMs);
    const [, , again] = await receiver.waitFor(3);
    expect(again?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    expect(again?.text).to.equal(first?.text);
    await eventually(async () => {
      const deliveries = await calls.listDeliveries(key, webhook.id);
      expect(deliveries.map(({ status }) => status)).to.deep.equal(['delivered', 'delivered']);
    });
    await dying.leave();
  });

  const toDiscord = (key: string) =>
    calls.createWebhook(key, `${receiver.origin}/api/webhooks/123/secret`, {
      ...{ format: 'discord', events: ['ticket.created'] },
    });

  it('are sent to Discord where the process that had them next read nothing any more, and sent nothing', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await toDiscord(key);
    expect((await service.call('POST', `/webhooks/${webhook.id}/test`, { key })).status).to.equal(202);
    const claimed = await service.models.webhookDeliveries.claim(webhook.id, new Date(service.clock.now()));
    expect(claimed).to.include({ type: 'webhook.test' });
    service.clock.advance(leaseMs);
    send(service);
    const [request] = await receiver.waitFor(1);
    expect(request?.body.embeds[0].title).to.equal('Test');
  });

  it('are not sent to Discord again where the process died before it knew the answer', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await toDiscord(key);
    const dying = await startWebhookService({}, { databaseUri: service.databaseUri });
    receiver.hang();
    await createWebhookCalls(dying).openTicket(key);
    await receiver.waitFor(1);
    await dying.connection.close();
    await dying.stopSending();
    service.clock.advance(leaseMs);
    send(service);
    await eventually(async () => {
      const [delivery] = await calls.listDeliveries(key, webhook.id);
      expect(delivery).to.include({ status: 'failed' });
    });
    expect(receiver.received).to.have.lengthOf(1);
    await dying.leave();
  });

  it('are stored by a process that still runs without SECRETS_KEY, whose customers notice nothing', async () => {
    const { secret: key } = await service.addKey();
    const earlier = await startSilentService(
      {},
      { databaseUri: service.databaseUri, config: { hasWebhooks: false } },
    );
    await calls.createWebhook(key, receiver.url, { events: ['ticket.created', 'ticket.replied'] });
    const opened = await createWebhookCalls(earlier).openTicket(key);
    expect(opened.status).to.equal(201);
    const reply = `/tickets/${opened.body.ticket.id}/reply`;
    expect((await earlier.call('POST', reply, { key, body: { message: 'Still' } })).status).to.equal(201);
    const { tickets } = (await service.call('GET', '/tickets', { key })).body;
    expect(tickets).to.have.lengthOf(1);
    await earlier.leave();
    service.clock.advance(ownMs);
    send(service);
    const types = (await receiver.waitFor(2)).map(({ body }) => body.type);
    expect(types).to.have.members(['ticket.created', 'ticket.replied']);
  });

  it('wait for a process that has SECRETS_KEY where one with mail alone finds them, and the webhook stays on', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    await calls.openTicket(key);
    const locked = await startSilentService(
      {},
      { databaseUri: service.databaseUri, config: { hasWebhooks: false } },
    );
    service.clock.advance(ownMs);
    send(locked);
    // It has looked at the first by the time that it finds a later one.
    for (const count of [1, 2, 3]) {
      await eventually(async () => {
        const statuses = (await calls.listDeliveries(key, webhook.id)).map(({ status }) => status);
        expect(statuses).to.deep.equal(Array.from({ length: count }, () => 'pending'));
      });
      if (count < 3) await calls.openTicket(key);
      service.clock.advance(ownMs);
    }
    await stopSending();
    await locked.leave();
    const { body } = await service.call('GET', `/webhooks/${webhook.id}`, { key });
    expect(body.webhook).to.include({ active: true, disabled_reason: null });
    send(service);
    await receiver.waitFor(3);
  });

  it('are each sent once by two processes that find them at the same time', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    const count = 20;
    await Promise.all(Array.from({ length: count }, (_, index) => calls.openTicket(key, `Lag ${index}`)));
    const other = await anotherService();
    send(service);
    send(other);
    await receiver.waitFor(count);
    await eventually(async () => {
      const deliveries = await calls.listDeliveries(key, webhook.id);
      expect(deliveries.filter(({ status }) => status === 'delivered')).to.have.lengthOf(count);
      expect(deliveries.every(({ attempts }) => attempts.length === 1)).to.equal(true);
    });
    expect([...receiver.countById().values()]).to.deep.equal(Array.from({ length: count }, () => 1));
    await stopSending();
    await other.leave();
  });

  it('are each sent once, and none is missed, where the clocks of processes differ by twenty seconds', async () => {
    const [behind, ahead] = [await anotherService(true), await anotherService(true)];
    const [callsBehind, callsAhead] = [createWebhookCalls(behind), createWebhookCalls(ahead)];
    ahead.clock.advance(20_000);
    const { secret: key } = await service.addKey();
    // By the clock of the other process, the webhook is from the future.
    const { webhook } = await callsAhead.createWebhook(key, receiver.url);
    send(behind);
    send(ahead);
    await eventually(async () => {
      await callsBehind.openTicket(key);
      expect(receiver.received).to.not.deep.equal([]);
    });
    const titles = Array.from({ length: 20 }, (_, index) => `Lag ${index}`);
    await Promise.all(
      titles.map((title, index) => (index % 2 === 0 ? callsBehind : callsAhead).openTicket(key, title)),
    );
    await eventually(async () => {
      const arrived = receiver.received.map(({ body }) => body.data.ticket.subject);
      expect(arrived).to.include.members(titles);
    });
    const deliveries = await calls.listDeliveries(key, webhook.id);
    expect(deliveries.filter(({ attempts }) => attempts.length > 1)).to.deep.equal([]);
    expect([...receiver.countById().values()].filter((count) => count > 1)).to.deep.equal([]);
    await stopSending();
    await ahead.leave();
    await behind.leave();
  });

  describe('are stored by a process whose list of subscribers was just read, once another has answered', () => {
    const request = { url: 'https://example.com', events: ['ticket.created' as const] };

    interface Subscriber {
      key: string;
      user: UserRecord;
      other: TestService;
    }

    /** A webhook of other events; resolves to what changes it. */
    async function createSilent({ key, other }: Subscriber, body: object) {
      const { webhook } = await calls.createWebhook(key, request.url, { events: ['key.expiring'] });
      const path = `/webhooks/${webhook.id}`;
      await service.call('PATCH', path, { key, body });
      return (change: object) => other.call('PATCH', path, { key, body: change });
    }

    /** Each resolves to the call that subscribes. */
    type Way = (subscriber: Subscriber) => Promise<() => Promise<unknown>>;
    const byHost: Way[] = [
      async ({ other, key }) =>
        () =>
          other.call('POST', '/admin/webhooks', { key, body: request }),
    ];
    const byCustomers: Way[] = [
      async ({ other, key }) =>
        () =>
          other.call('POST', '/webhooks', { key, body: request }),
      async ({ other, user }) => {
        const { api } = await signedIn(other.url, user);
        return () => api.webhooks.create.mutate(request);
      },
      async (subscriber) => {
        const change = await createSilent(subscriber, {});
        return () => change({ events: request.events });
      },
      async (subscriber) => {
        const change = await createSilent(subscriber, { ...request, active: false });
        return () => change({ active: true });
      },
    ];
    for (const [title, ways] of [
      ['POST /admin/webhooks', byHost],
      [
        'POST /webhooks, a creation on the account page, PATCH of the events and PATCH active: true',
        byCustomers,
      ],
    ] as const)
      it(title, async () => {
        const other = await anotherService(true);
        const prepared = ways.map(async (way) => {
          const user = await service.addUser({ isAdmin: true });
          const { secret: key } = await service.addKey({ user });
          return { key, subscribe: await way({ key, user, other }) };
        });
        const subscribers = await Promise.all(prepared);
        await Promise.all(subscribers.map(({ key }) => calls.openTicket(key, 'Before')));
        await Promise.all(subscribers.map(({ subscribe }) => subscribe()));
        await Promise.all(subscribers.map(({ key }) => calls.openTicket(key, 'After')));
        await sweepTickets(service);
        const events = await service.connection.collection('webhook_events').find().toArray();
        expect(events.map(({ data }) => data.ticket.subject)).to.deep.equal(ways.map(() => 'After'));
        await other.leave();
      });
  });
});
