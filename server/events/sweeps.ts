/**
 * Events of which no write is the cause: announcements whose time has come, keys that expire soon, and leftovers of processes
 * that died. Two processes may sweep at once: each event is named by what happened and stored once.
 */
import type { AnnouncementRecord } from '../../models/announcement.ts';
import type { ApiKeyRecord } from '../../models/api-key/store.ts';
import type { Models } from '../../models/index.ts';
import { expiringMs, recordAnnouncements, recordKeyEvent } from '../../routers/events.ts';
import type { Clock } from '../../routers/ports.ts';
import { overflowReason } from './deliver.ts';
import { fanOut } from './fan-out.ts';

const minuteMs = 60_000;
/** Clocks of processes may differ by as much. */
const overlapMs = minuteMs;
const pageSize = 500;
const claimMax = 256;

interface Deps {
  models: Models;
  clock: Clock;
}

/** Turns events into deliveries that no process has turned yet; whether there may be more. */
export async function sweepEvents({ models, clock }: Deps): Promise<boolean> {
  const events = await models.webhookEvents.claim(claimMax, new Date(clock()));
  if (events.length > 0) await fanOut(models, events, new Date(clock()));
  return events.length >= claimMax;
}

/** Looks for announcements that are published by now. */
export async function sweepAnnouncements({ models, clock }: Deps): Promise<void> {
  if (!(await models.webhookEvents.isWanted(['announcement.published']))) return;
  const now = new Date(clock());
  const upTo = await models.webhookState.sweptUpTo('announcements', now);
  const from = new Date(upTo.getTime() - overlapMs);
  const list = (last?: AnnouncementRecord) => {
    const after = { at: last?.publishedAt ?? from, id: last?._id ?? 0 };
    return models.announcements.listPublishedBetween(after, now, pageSize);
  };
  for await (const page of pagesOf(list)) await recordAnnouncements({ models, clock }, page);
  await models.webhookState.advanceSweep('announcements', now);
}

/** Looks for keys that expire in seven days, or sooner where no process has looked for long. */
export async function sweepExpiringKeys({ models, clock }: Deps): Promise<void> {
  if (!(await models.webhookEvents.isWanted(['key.expiring']))) return;
  const now = new Date(clock());
  const horizon = new Date(now.getTime() + expiringMs);
  const upTo = await models.webhookState.sweptUpTo('expiring keys', horizon);
  // The last sweep may be weeks old, as it runs only while a webhook subscribes; a key that has expired is not expiring.
  const from = new Date(Math.max(upTo.getTime() - overlapMs, now.getTime()));
  const list = (last?: ApiKeyRecord) =>
    models.apiKeys.listExpiring({ at: last?.expiresAt ?? from, id: last?._id ?? '' }, horizon, pageSize);
  const record = (key: ApiKeyRecord) =>
    recordKeyEvent({ models }, key, { type: 'key.expiring', at: now, reason: null });
  // A page at once, as one batch of writes: the sweep of events waits until this one ends.
  for await (const page of pagesOf(list)) await Promise.all(page.map(record));
  await models.webhookState.advanceSweep('expiring keys', horizon);
}

/**
 * Wakes endpoints for which something has been due for long, whatever happened to their last visit, and turns off those for
 * which too much waits: they may succeed each time, but more slowly than events come.
 */
export async function wakeOverdue({ models, clock }: Deps): Promise<void> {
  const now = new Date(clock());
  const since = new Date(now.getTime() - minuteMs);
  const list = (last = '') => models.webhookDeliveries.listOverdue(since, last, pageSize);
  for await (const ids of pagesOf(list)) await wakeAll(models, ids, now);
}

async function wakeAll(models: Models, ids: readonly string[], now: Date): Promise<void> {
  const { webhookDeliveries, webhookSchedule } = models;
  const endpoints = await webhookSchedule.listAudiences(ids);
  const known = new Set(endpoints.map(({ _id }) => _id));
  for (const id of ids) if (!known.has(id)) await webhookDeliveries.removeOf(id);
  for (const endpoint of endpoints) {
    const reason = await overflowReason(models, endpoint);
    if (reason) await models.webhooks.disable(endpoint._id, reason);
  }
  await webhookSchedule.wake(ids, now);
}

/** All pages of what a sweep lists: the first alone may be the same each time, so that the rest is never reached. */
async function* pagesOf<Item>(list: (last?: Item) => Promise<Item[]>): AsyncGenerator<Item[]> {
  for (let last: Item | undefined; ; ) {
    const page = await list(last);
    yield page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}
