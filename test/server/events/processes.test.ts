/** Events with several processes: one dies, two send at once, their clocks differ. No event is lost or sent twice. */
import { expect } from 'chai';
import type { Dispatcher } from '../../../server/events/dispatcher.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestService } from '../../support/service.ts';
import { useForEach } from '../../support/use-started.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import {
  startSending,
  startServiceWithoutSending,
  startWebhookService,
  webhookSettings,
} from '../../support/webhook-service.ts';

/** Longer than a process leases a delivery. */
const leaseMs = 46_000;

describe('events of several processes', () => {
  const sending: Dispatcher[] = [];
  const stopSending = () => Promise.all(sending.splice(0).map((each) => each.stop()));
  afterEach(stopSending);
  const receiver = useForEach(startReceiver);
  const service = useForEach(startServiceWithoutSending);
  const calls = createWebhookCalls(service);

  const anotherService = (isShared = false) =>
    startServiceWithoutSending({}, { databaseUri: service.databaseUri, isShared });
  /** A busy machine may take longer for an attempt than the second that most tests give it. */
  const send = (each: TestService) =>
    void sending.push(startSending(each, { ...webhookSettings, timeoutMs: 20_000 }));

  it('are sent by another process if the one that wrote the ticket died at once', async () => {
    const { secret: key } = await service.addKey();
    await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    const dying = await anotherService();
    expect((await createWebhookCalls(dying).openTicket(key)).status).to.equal(201);
    await dying.leave();
    send(service);
    const [request] = await receiver.waitFor(1);
    expect(request?.body.type).to.equal('ticket.created');
  });

  it('are sent again with the same id once the lease of a process that died has ended', async () => {
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

  it('wait for a process with SECRETS_KEY if one with mail alone finds them, and the webhook stays on', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    await calls.openTicket(key);
    const locked = await startServiceWithoutSending(
      {},
      { databaseUri: service.databaseUri, config: { hasWebhooks: false } },
    );
    send(locked);
    // It has seen the first by the time it finds a later one.
    for (const count of [1, 2, 3]) {
      await eventually(async () => {
        const statuses = (await calls.listDeliveries(key, webhook.id)).map(({ status }) => status);
        expect(statuses).to.deep.equal(Array.from({ length: count }, () => 'pending'));
      });
      if (count < 3) await calls.openTicket(key);
    }
    await stopSending();
    await locked.leave();
    const { body } = await service.call('GET', `/webhooks/${webhook.id}`, { key });
    expect(body.webhook).to.include({ active: true, disabled_reason: null });
    send(service);
    await receiver.waitFor(3);
  });

  it('are each sent once if two processes find them at the same time', async () => {
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

  it('are each sent once, with none missed, if the clocks differ by twenty seconds', async () => {
    const [behind, ahead] = [await anotherService(true), await anotherService(true)];
    const [callsBehind, callsAhead] = [createWebhookCalls(behind), createWebhookCalls(ahead)];
    ahead.clock.advance(20_000);
    const { secret: key } = await service.addKey();
    // For the other process's clock, the webhook was created in the future.
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
});
