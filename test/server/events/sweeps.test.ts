/** Sweeps find all their events, however many have the same time or belong to one webhook. */
import { expect } from 'chai';
import type { AnnouncementRecord } from '../../../models/announcement.ts';
import type { ApiKeyRecord } from '../../../models/api-key/store.ts';
import { newRedelivery } from '../../../models/outbox/deliveries.ts';
import { sweepAnnouncements, sweepBacklogs, sweepExpiringKeys } from '../../../server/events/sweeps.ts';
import { type ProfiledCall, profile } from '../../support/profiler.ts';
import { useForEach } from '../../support/use-started.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';
import { startServiceWithoutSending } from '../../support/webhook-service.ts';

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;
/** One more than a sweep reads at once. */
const many = Array.from({ length: 501 }, (_, index) => index + 1);

describe('the sweep', () => {
  const service = useForEach(startServiceWithoutSending);

  const process = () => ({ models: service.models, clock: service.clock.now });
  const inFuture = (ms: number) => new Date(service.clock.now() + ms);
  const countEvents = (type: string) =>
    service.connection.collection('webhook_events').countDocuments({ type });

  async function addWebhook(events: string[]) {
    const { user, secret: key } = await service.addKey();
    const { webhook } = await createWebhookCalls(service).createWebhook(key, 'http://127.0.0.1:9/', {
      events,
    });
    return { user, id: webhook.id };
  }

  const announcementOf = (id: number, publishedAt: Date): AnnouncementRecord => ({
    ...{ _id: id, title: 'Maintenance', summary: '', message: 'Tonight.', tag: null, status: 'published' },
    ...{ showInRibbon: false, publishedAt, createdAt: inFuture(0), updatedAt: inFuture(0) },
  });

  async function addKeys(userId: number, times: readonly Date[]): Promise<void> {
    const keys = times.map((expiresAt, id) => ({
      ...{ _id: `key-${id}`, userId, name: `CI ${id}`, hash: `${id}`, prefix: '', scopes: [], expiresAt },
      ...{ createdAt: inFuture(0), revokedAt: null, replacedBy: null, lastUsedAt: null },
    }));
    await service.connection.collection<ApiKeyRecord>('api_keys').insertMany(keys);
  }

  it('records each expiry when 501 keys expire at once, and later ones', async () => {
    const { user } = await addWebhook(['key.expiring']);
    await sweepExpiringKeys(process());
    const [same, later] = [inFuture(weekMs + minuteMs), inFuture(weekMs + 3 * minuteMs)];
    await addKeys(user._id, [...many.map(() => same), later]);
    service.clock.advance(5 * minuteMs);
    for (let times = 0; times < 2; times += 1) await sweepExpiringKeys(process());
    expect(await countEvents('key.expiring')).to.equal(many.length + 1);
  });

  it('records keys that expire within seven days, also on its first run since the subscription', async () => {
    const { user } = await addWebhook(['key.expiring']);
    await addKeys(user._id, [inFuture(weekMs + minuteMs)]);
    service.clock.advance(weekMs - minuteMs);
    await sweepExpiringKeys(process());
    expect(await countEvents('key.expiring')).to.equal(1);
  });

  it('records nothing for keys that have expired, if no webhook subscribed for a month', async () => {
    const { user } = await addWebhook(['key.expiring']);
    await sweepExpiringKeys(process());
    await addKeys(user._id, [inFuture(2 * weekMs), inFuture(4 * weekMs), inFuture(5 * weekMs)]);
    service.clock.advance(4 * weekMs + minuteMs);
    await sweepExpiringKeys(process());
    const events = await service.connection.collection('webhook_events').find().toArray();
    expect(events.map(({ data }) => data.key.name)).to.deep.equal(['CI 2']);
  });

  it('records each publication when 501 announcements are published at once, and later ones', async () => {
    await addWebhook(['announcement.published']);
    await sweepAnnouncements(process());
    const [same, later] = [inFuture(minuteMs), inFuture(3 * minuteMs)];
    const announcements = service.connection.collection<AnnouncementRecord>('announcements');
    await announcements.insertMany([
      ...many.map((id) => announcementOf(id, same)),
      announcementOf(many.length + 1, later),
    ]);
    service.clock.advance(5 * minuteMs);
    for (let times = 0; times < 2; times += 1) await sweepAnnouncements(process());
    expect(await countEvents('announcement.published')).to.equal(many.length + 1);
  });

  it('looks for announcements without reading their webhooks, and writes nothing if there are none', async () => {
    for (let count = 0; count < 3; count += 1) await addWebhook(['announcement.published']);
    await sweepAnnouncements(process());
    service.clock.advance(1000);
    const calls = await profile(service.connection, () => sweepAnnouncements(process()));
    const nameOf = ({ ns }: ProfiledCall) => ns.slice(ns.indexOf('.') + 1);
    expect(calls.map(nameOf)).to.have.members(['webhook_state', 'announcements']);
    expect(calls.map(({ nModified = 0 }) => nModified)).to.deep.equal([0, 0]);
  });

  it('reads the webhooks once for each publication', async () => {
    await addWebhook(['announcement.published']);
    const known = new Set<string>();
    const sweep = () => sweepAnnouncements(process(), known);
    await sweep();
    const lookedWebhooks = async () =>
      (await profile(service.connection, sweep)).filter(({ ns }) => ns.endsWith('.webhooks')).length;
    for (const id of [1, 2]) {
      service.clock.advance(1000);
      const announcements = service.connection.collection<AnnouncementRecord>('announcements');
      await announcements.insertOne(announcementOf(id, inFuture(0)));
      const looks = [];
      for (let seconds = 0; seconds < 3; seconds += 1) looks.push(await lookedWebhooks());
      expect(looks).to.deep.equal([1, 0, 0]);
      expect(await countEvents('announcement.published')).to.equal(id);
    }
    service.clock.advance(5 * minuteMs);
    for (let times = 0; times < 2; times += 1) await sweep();
    expect(known.size).to.equal(0);
  });

  describe('for overdue events', () => {
    const event = { _id: 'evt_1', type: 'key.revoked' as const };

    async function addOverdue(ids: readonly string[], sinceMs: number): Promise<void> {
      const now = inFuture(-sinceMs);
      await service.models.deliveries.addAll(
        ids.map((_id) => newRedelivery(event, { _id, activeSince: new Date(0) }, now)),
      );
    }

    const listDue = () =>
      service.models.deliveries.listDestinationsDue(inFuture(0), { after: '', limit: 10 });

    it('finds each webhook and removes the events of deleted ones when 501 were deleted', async () => {
      const { id } = await addWebhook(['*']);
      const deleted = many.map((index) => `whk_${index}`);
      await addOverdue(deleted, 5 * minuteMs);
      await addOverdue([id], 2 * minuteMs);
      await sweepBacklogs(process());
      expect(await listDue()).to.deep.equal([id]);
      const deliveries = service.connection.collection('webhook_deliveries');
      expect(await deliveries.distinct('endpointId', {})).to.deep.equal([id]);
    });
  });
});
