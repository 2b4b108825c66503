/** Events with several processes at work: one dies, two send at once, their clocks differ. No event is lost or sent by two. */
import { expect } from 'chai';
import type { Dispatcher } from '../../../server/events/dispatcher.ts';
import { signedIn } from '../../support/account.ts';
import { eventually } from '../../support/eventually.ts';
import type { TestService } from '../../support/service.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { startSending, startSilentService, startWebhookService } from '../../support/webhook-service.ts';

/** Longer than a process has a delivery for itself. */
const leaseMs = 46_000;

describe('events of several processes', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let calls: ReturnType<typeof createWebhookCalls>;
  const sending: Dispatcher[] = [];

  beforeEach(async () => {
    service = await startSilentService();
    receiver = await startReceiver();
    calls = createWebhookCalls(service);
  });
  afterEach(async () => {
    await Promise.all(sending.splice(0).map((each) => each.stop()));
    await receiver.stop();
    await service.stop();
  });

  const anotherService = () => startSilentService({}, { databaseUri: service.databaseUri });
  const send = (each: TestService) => void sending.push(startSending(each));

  it('are sent by another process where the one that stored them died at once', async () => {
    const { secret: key } = await service.addKey();
    await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    const dying = await anotherService();
    dying.models.webhookEvents.onRecorded(() => {}); // takes the event for itself, and does nothing any more
    expect((await createWebhookCalls(dying).openTicket(key)).status).to.equal(201);
    await dying.leave();
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

  it('are each sent once by two processes that find them at the same time', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, receiver.url, { events: ['ticket.created'] });
    const count = 60;
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
    await Promise.all(sending.splice(0).map((each) => each.stop()));
    await other.leave();
  });

  it('are each sent once, and none is missed, where the clocks of processes differ by twenty seconds', async () => {
    const ahead = await anotherService();
    ahead.clock.advance(20_000);
    const { secret: key } = await service.addKey();
    // By the clock of the other process, the webhook is from the future.
    const { webhook } = await createWebhookCalls(ahead).createWebhook(key, receiver.url);
    receiver.respondAfter(200);
    send(service);
    send(ahead);
    await eventually(async () => {
      await calls.openTicket(key);
      expect(receiver.received).to.not.deep.equal([]);
    });
    const titles = Array.from({ length: 30 }, (_, index) => `Lag ${index}`);
    await Promise.all(
      titles.map((title, index) =>
        (index % 2 === 0 ? calls : createWebhookCalls(ahead)).openTicket(key, title),
      ),
    );
    await eventually(async () => {
      const arrived = receiver.received.map(({ body }) => body.data.ticket.subject);
      expect(arrived).to.include.members(titles);
    });
    const deliveries = await calls.listDeliveries(key, webhook.id);
    expect(deliveries.filter(({ attempts }) => attempts.length > 1)).to.deep.equal([]);
    expect([...receiver.countById().values()].filter((count) => count > 1)).to.deep.equal([]);
    await Promise.all(sending.splice(0).map((each) => each.stop()));
    await ahead.leave();
  });

  describe('are stored by a process whose list of subscribers was just read, once another has answered', () => {
    let other: TestService;
    let user: Awaited<ReturnType<TestService['addUser']>>;
    let key: string;

    beforeEach(async () => {
      other = await startSilentService({}, { databaseUri: service.databaseUri, isShared: true });
      user = await service.addUser({ isAdmin: true });
      key = (await service.addKey({ user })).secret;
    });
    afterEach(() => other.leave());

    const request = { url: 'https://example.com', events: ['ticket.created' as const] };
    const patch = async (id: string, body: object) =>
      expect((await other.call('PATCH', `/webhooks/${id}`, { key, body })).status).to.equal(200);

    async function createSilent(body: object): Promise<string> {
      const { webhook } = await calls.createWebhook(key, request.url, { events: ['key.expiring'] });
      await service.call('PATCH', `/webhooks/${webhook.id}`, { key, body });
      return webhook.id;
    }

    /** Each resolves to the call that subscribes. */
    const ways: Record<string, () => Promise<() => Promise<unknown>>> = {
      'POST /webhooks': async () => () => createWebhookCalls(other).createWebhook(key, request.url),
      'POST /admin/webhooks': async () => () => other.call('POST', '/admin/webhooks', { key, body: request }),
      'a creation on the account page': async () => {
        const { api } = await signedIn(other.url, user);
        return () => api.webhooks.create.mutate(request);
      },
      'PATCH of the events': async () => {
        const id = await createSilent({});
        return () => patch(id, { events: request.events });
      },
      'PATCH active: true': async () => {
        const id = await createSilent({ ...request, active: false });
        return () => patch(id, { active: true });
      },
    };
    for (const [way, prepare] of Object.entries(ways))
      it(way, async () => {
        const subscribe = await prepare();
        await calls.openTicket(key, 'Before');
        await subscribe();
        await calls.openTicket(key, 'After');
        const events = await service.connection.collection('webhook_events').find().toArray();
        expect(events.map(({ data }) => data.ticket.subject)).to.deep.equal(['After']);
      });
  });
});
