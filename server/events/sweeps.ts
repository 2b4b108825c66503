/**
 * Stores the events that no request causes: announcements whose time has come, and keys that expire soon. Also turns
 * off destinations with too long a backlog. Two processes may sweep at once: both derive the same name for an event,
 * so it is stored once.
 */
import type { AnnouncementRecord } from '../../models/announcement.ts';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import { waitingDeliveriesMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import type { DestinationRecord } from '../../models/outbox/schema.ts';
import { expiringSweep } from '../../models/shared-state.ts';
import { minuteMs } from '../../models/support/durations.ts';
import { expiryNoticeMs, recordAnnouncements, recordKeyEvent } from '../../routers/events.ts';
import type { Clock } from '../../routers/ports.ts';

/** The clocks of processes may differ by this much. */
const overlapMs = minuteMs;
const pageSize = 500;

interface Deps {
  models: Models;
  clock: Clock;
}

/** @param recorded publications that this process has recorded: later sweeps find each again for a minute or two */
export async function sweepAnnouncements(
  { models, clock }: Deps,
  recorded: Set<string> = new Set(),
): Promise<void> {
  const now = new Date(clock());
  const upTo = await models.sharedState.findPosition('announcements', now);
  const from = new Date(upTo.getTime() - overlapMs);
  const list = (last?: AnnouncementRecord) => {
    const after = { at: last?.publishedAt ?? from, id: last?._id ?? 0 };
    return models.announcements.listPublishedBetween(after, now, pageSize);
  };
  for await (const page of pagesOf(list)) {
    const added = page.filter((announcement) => !recorded.has(publicationOf(announcement)));
    if (added.length > 0 && (await hasSubscribers(models)))
      await recordAnnouncements({ models, clock }, added);
    for (const announcement of added) recorded.add(publicationOf(announcement));
    if (page.length === 0) recorded.clear();
  }
  // Once a minute is enough: from an older position, a sweep finds publications again but records none twice.
  if (now.getTime() - upTo.getTime() >= overlapMs) await models.sharedState.advance('announcements', now);
}

const publicationOf = ({ _id, publishedAt }: AnnouncementRecord) => `${_id} ${publishedAt?.toISOString()}`;

/** Reads every webhook that gets announcements, so call it only for a publication. */
const hasSubscribers = async ({ destinations }: Models): Promise<boolean> =>
  (await destinations.listSubscribedCustomers('announcement.published'))?.length !== 0;

export async function sweepExpiringKeys({ models, clock }: Deps): Promise<void> {
  const now = new Date(clock());
  const horizon = new Date(now.getTime() + expiryNoticeMs);
  const upTo = await models.sharedState.findPosition(expiringSweep, now);
  // Webhooks and mail may have been off for weeks. Keys that expired in that time get no notice.
  const from = new Date(Math.max(upTo.getTime() - overlapMs, now.getTime()));
  const list = (last?: ApiKeyRecord) =>
    models.apiKeys.listExpiring({ at: last?.expiresAt ?? from, id: last?._id ?? '' }, horizon, pageSize);
  const record = (key: ApiKeyRecord) =>
    recordKeyEvent({ models }, key, { type: 'key.expiring', at: now, reason: null });
  // The keys of a page are recorded together, because the sweep of events waits until this one ends.
  for await (const page of pagesOf(list)) await Promise.all(page.map(record));
  await models.sharedState.advance(expiringSweep, horizon);
}

export async function overflowReason(
  { deliveries }: Models,
  { _id, audience, format }: DestinationRecord,
): Promise<string | null> {
  const max = waitingDeliveriesMax[format === 'mail' ? 'host' : audience];
  const waiting = await deliveries.countWaiting(_id, max);
  return waiting >= max ? `${max} events were waiting for it` : null;
}

/**
 * Needed besides the check after failed attempts, because a backlog may grow although attempts succeed. Also removes
 * the deliveries of deleted destinations.
 */
export async function sweepBacklogs({ models, clock }: Deps): Promise<void> {
  const by = new Date(clock() - minuteMs);
  const list = (after = '') => models.deliveries.listDestinationsDue(by, { after, limit: pageSize });
  for await (const ids of pagesOf(list)) {
    const destinations = await models.destinations.findMany(ids);
    const known = new Set(destinations.map(({ _id }) => _id));
    for (const id of ids) if (!known.has(id)) await models.deliveries.removeOf(id);
    for (const destination of destinations) {
      const reason = await overflowReason(models, destination);
      // For mail, only links are dropped: any visitor can request them, while notices are limited per hour.
      if (reason && destination.format === 'mail')
        await models.deliveries.failWaiting(destination._id, destination.activeSince, 'link.requested');
      else if (reason) await models.webhooks.disable(destination._id, reason);
    }
  }
}

/** Reads all pages, because the first may be the same at each sweep and hide the rest. */
async function* pagesOf<Item>(list: (last?: Item) => Promise<Item[]>): AsyncGenerator<Item[]> {
  for (let last: Item | undefined; ; ) {
    const page = await list(last);
    yield page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}
