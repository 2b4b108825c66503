/**
 * Events of which no write is the cause: announcements whose time has come, keys that expire soon, and leftovers of processes
 * that died. Two processes may sweep at once: each event is named by what happened and stored once.
 */
import type { Models } from '../../models/index.ts';
import { recordAnnouncements, recordKeyEvent } from '../../routers/events.ts';
import type { Clock } from '../../routers/ports.ts';
import { overflowReason } from './deliver.ts';
import { fanOut } from './fan-out.ts';

const minuteMs = 60_000;
/** Clocks of processes may differ by as much. */
const overlapMs = minuteMs;
const expiringMs = 7 * 24 * 60 * minuteMs;
const sweptMax = 500;
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
  const published = await models.announcements.listPublishedBetween(from, now, sweptMax);
  await recordAnnouncements({ models, clock }, published);
  await models.webhookState.advanceSweep('announcements', published.at(sweptMax - 1)?.publishedAt ?? now);
}

/** Looks for keys that expire in seven days. */
export async function sweepExpiringKeys({ models, clock }: Deps): Promise<void> {
  if (!(await models.webhookEvents.isWanted(['key.expiring']))) return;
  const now = new Date(clock());
  const horizon = new Date(now.getTime() + expiringMs);
  const upTo = await models.webhookState.sweptUpTo('expiring keys', horizon);
  const from = new Date(upTo.getTime() - overlapMs);
  const expiring = await models.apiKeys.listExpiring(from, horizon, sweptMax);
  for (const key of expiring)
    await recordKeyEvent({ models }, key, { type: 'key.expiring', at: now, reason: null });
  await models.webhookState.advanceSweep('expiring keys', expiring.at(sweptMax - 1)?.expiresAt ?? horizon);
}

/**
 * Wakes endpoints for which something has been due for long, whatever happened to their last visit, and turns off those for
 * which too much waits: they may succeed each time, but more slowly than events come.
 */
export async function wakeOverdue({ models, clock }: Deps): Promise<void> {
  const { webhookDeliveries, webhookSchedule } = models;
  const now = new Date(clock());
  const ids = await webhookDeliveries.listOverdue(new Date(now.getTime() - minuteMs), sweptMax);
  const endpoints = await webhookSchedule.listAudiences(ids);
  const known = new Set(endpoints.map(({ _id }) => _id));
  for (const id of ids) if (!known.has(id)) await webhookDeliveries.removeOf(id);
  for (const endpoint of endpoints) {
    const reason = await overflowReason(models, endpoint);
    if (reason) await models.webhooks.disable(endpoint._id, reason);
  }
  await webhookSchedule.wake(ids, now);
}
