/** When events are sent: a slow or flooded webhook delays none of the others, and failures are retried. */
import { expect } from 'chai';
import { newRedelivery } from '../../../models/outbox/deliveries.ts';
import { sweepBacklogs } from '../../../server/events/sweeps.ts';
import { eventually } from '../../support/eventually.ts';
import { useForEach } from '../../support/use-started.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { startServiceWithoutSending, useWebhookService } from '../../support/webhook-service.ts';

const hourMs = 3_600_000;

describe('retries of webhooks', () => {
  const { service, receiver, subscribe } = useWebhookService();

  it('name the failure in one of a few words: tls for a bad certificate, connection if nothing listens', async () => {
    const closed = await startReceiver();
    await closed.stop();
    const failures: unknown[] = [];
    for (const url of [receiver.url.replace('http:', 'https:'), closed.url]) {
      const { open, untilTried } = await subscribe({ url });
      await open();
      failures.push((await untilTried()).attempts[0]?.error);
    }
    expect(failures).to.deep.equal(['tls', 'connection']);
  });

  for (const [what, status, retryAfter, hours] of [
    ['later than the schedule if the receiver asks for that', 429, '3600', 1],
    [
      'at most a day later, whatever the receiver asks for',
      503,
      new Date(Date.now() + 90 * 24 * hourMs).toUTCString(),
      24,
    ],
  ] as const)
    it(`come ${what}`, async () => {
      const { open, untilTried } = await subscribe();
      receiver.respondWith(status, { 'Retry-After': retryAfter });
      const openedAt = service.clock.now();
      await open();
      const { next_attempt_at } = await untilTried();
      const next = Date.parse(next_attempt_at ?? '');
      expect(next).to.be.within(openedAt + hours * hourMs, service.clock.now() + hours * hourMs);
    });

  it('end with the schedule: the event is failed, and can be resent by hand with the same webhook-id', async () => {
    const { key, path, open, untilTried } = await subscribe();
    receiver.respondWith(500);
    await open();
    for (const [index, waitMs] of [6000, 340_000, 2_000_000].entries()) {
      await untilTried(index + 1);
      service.clock.advance(waitMs);
    }
    const failed = await untilTried(4);
    expect(failed).to.include({ status: 'failed', next_attempt_at: null });
    receiver.respondWith(204);
    const again = await service.call('POST', `${path}/deliveries/${failed.id}/redeliver`, { key });
    expect(again.status).to.equal(202);
    expect(again.body.delivery).to.include({ event_id: failed.event_id, status: 'pending' });
    await receiver.waitFor(5);
    expect([...receiver.countById()]).to.deep.equal([[failed.event_id, 5]]);
  });

  it('stop after five days without a success and three attempts: the webhook is turned off and shows why', async () => {
    const { open, untilTried, read } = await subscribe();
    receiver.respondWith(500);
    await open('first');
    await untilTried(1);
    service.clock.advance(121 * hourMs);
    await untilTried(2);
    expect(await read()).to.include({ active: true });
    service.clock.advance(hourMs);
    await eventually(async () => expect(await read()).to.include({ active: false }));
    expect((await read()).disabled_reason).to.equal('No delivery succeeded for 120 hours');
  });
});

describe('attempts of webhooks', () => {
  const { receiver, subscribe } = useWebhookService({ timeoutMs: 300 });

  it('end after the time limit if a receiver never answers, and count as failed', async () => {
    const { open, untilTried } = await subscribe();
    receiver.hang();
    await open();
    const delivery = await untilTried();
    expect(delivery).to.include({ status: 'pending' });
    expect(delivery.attempts[0]).to.include({ status: null, error: 'timeout' });
  });

  it('are not repeated at Discord if a message may have arrived without an answer', async () => {
    const url = `${receiver.origin}/api/webhooks/123/secret`;
    const { open, untilTried } = await subscribe({ url, format: 'discord' });
    receiver.hang();
    await open();
    expect(await untilTried()).to.include({ status: 'failed', next_attempt_at: null });
  });
});

describe('simultaneous attempts', () => {
  const { service, receiver, calls, subscribe } = useWebhookService({ timeoutMs: 30_000 });

  it('are limited to sixteen for a customer and eight for a webhook, and do not delay others', async () => {
    const { secret: key } = await service.addKey();
    for (const path of ['/a', '/b', '/c']) {
      receiver.hangAt(path);
      await calls.createWebhook(key, receiver.origin + path);
    }
    const other = await subscribe();
    for (let count = 0; count < 10; count += 1) await calls.openTicket(key);
    await receiver.waitFor(16);
    await other.open();
    await other.untilTried();
    expect(receiver.mostAtOnce('/a')).to.be.within(1, 8);
    expect(receiver.mostAtOnce()).to.equal(17);
  });

  it('keep places for customers with none in progress, however many receivers of others never answer', async () => {
    for (const path of ['/slow/1', '/slow/2']) receiver.hangAt(path);
    const flood = async () => {
      const { secret: key } = await service.addKey();
      for (const path of ['/slow/1', '/slow/2']) await calls.createWebhook(key, receiver.origin + path);
      for (let count = 0; count < 8; count += 1) await calls.openTicket(key);
    };
    const before = receiver.received.length;
    await Promise.all(Array.from({ length: 14 }, flood));
    await receiver.waitFor(before + 170);
    for (let count = 0; count < 3; count += 1) {
      const { open, untilTried } = await subscribe();
      await open();
      const { attempts } = await untilTried();
      expect(attempts).to.deep.equal([{ ...attempts[0], status: 204, error: null }]);
    }
    expect(receiver.mostAtOnce('/slow/1') + receiver.mostAtOnce('/slow/2')).to.be.within(170, 190);
  });

  it('reach one host for one customer at most thirty times a second, through any number of webhooks', async () => {
    const { secret: key } = await service.addKey();
    for (let count = 0; count < 10; count += 1)
      await calls.createWebhook(key, `${receiver.origin}/same/${count}`);
    const other = await subscribe();
    const begunAt = performance.now();
    const ofCustomer = () => receiver.received.filter(({ path }) => path.startsWith('/same/'));
    for (let count = 0; count < 10; count += 1) await calls.openTicket(key);
    await other.open();
    await other.untilTried();
    await eventually(async () => expect(ofCustomer()).to.have.lengthOf(100));
    for (const [index, { receivedAt }] of ofCustomer().entries()) {
      const windowsBegun = Math.floor((receivedAt - begunAt) / 1000) + 1;
      expect(index + 1).to.be.at.most(30 * windowsBegun);
    }
  });
});

describe('the queue of a webhook', () => {
  const service = useForEach(startServiceWithoutSending);

  const event = { _id: 'evt_1', type: 'key.revoked' as const };

  function addWaiting(_id: string, count: number): Promise<unknown> {
    const now = new Date(service.clock.now());
    const again = () => newRedelivery(event, { _id, activeSince: new Date(0) }, now);
    return service.models.deliveries.addAll(Array.from({ length: count }, again));
  }

  async function readAfterSweep(key: string, path: string) {
    service.clock.advance(2 * 60_000);
    await sweepBacklogs({ models: service.models, clock: service.clock.now });
    return (await service.call('GET', path, { key })).body.webhook;
  }

  it('is bounded: a webhook slower than its events is turned off with 10,000 waiting, and shows why', async () => {
    const { secret: key } = await service.addKey();
    const { webhook } = await createWebhookCalls(service).createWebhook(key, 'http://127.0.0.1:9/');
    const path = `/webhooks/${webhook.id}`;
    await addWaiting(webhook.id, 9_999);
    expect(await readAfterSweep(key, path)).to.include({ active: true });
    await addWaiting(webhook.id, 1);
    const disabled_reason = '10000 events were waiting for it';
    expect(await readAfterSweep(key, path)).to.include({ active: false, disabled_reason });
    expect(await service.models.deliveries.countWaiting(webhook.id, 1)).to.equal(0);
  });

  it("may be longer for the host, as in an import: the host's webhook stays on", async () => {
    const { secret: key } = await service.addKey({ user: await service.addUser({ isAdmin: true }) });
    const body = { url: 'http://127.0.0.1:9/', events: ['*'] };
    const { webhook } = (await service.call('POST', '/admin/webhooks', { key, body })).body;
    await addWaiting(webhook.id, 10_000);
    expect(await readAfterSweep(key, `/admin/webhooks/${webhook.id}`)).to.include({ active: true });
  });

  it('is read from both ends, so that new events do not wait behind a flood', async () => {
    const { user, secret: key } = await service.addKey();
    const { events } = service.models;
    await createWebhookCalls(service).createWebhook(key, 'http://127.0.0.1:9/');
    for (const step of [1, 2, 3, 4, 5, 6]) {
      const data = { key: {}, reason: String(step) };
      const at = new Date(service.clock.now());
      await events.record([{ type: 'key.revoked', userId: user._id, at, data }]);
      await eventually(async () => expect(Date.now()).to.be.above(at.getTime()));
    }
    const take = async () => {
      const taken = await events.takeWaiting(2, new Date(service.clock.now()));
      return taken.map(({ data }) => Number((data as { reason: string }).reason)).sort();
    };
    expect([await take(), await take(), await take()]).to.deep.equal([[1, 2, 5, 6], [3, 4], []]);
  });
});
