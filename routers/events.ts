/**
 * Records events for webhooks and mail, each with the write that causes it, before the response is sent. Three files make
 * other events: tickets/events.ts those of tickets, server/events/watch-servers.ts server.state_changed, and
 * models/outbox/events.ts webhook.test. A new kind of event needs a function here that records it, a type in
 * models/outbox/event-types.ts, a schema in schemas/event.ts and a text in server/events/discord.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AnnouncementRecord } from '../models/announcement.ts';
import type { ApiKeyRecord } from '../models/api-key/store.ts';
import type { OAuthGrantRecord } from '../models/oauth/grants.ts';
import type { VerifiedSession } from '../models/session.ts';
import type { NewSubscription, PutSubscriptions, SubscriptionRecord } from '../models/subscription.ts';
import { dayMs } from '../models/support/durations.ts';
import { hashPassword } from '../models/support/secrets.ts';
import type { Context, Transaction } from './context.ts';
import { notFound } from './errors.ts';
import { presentAnnouncement } from './schemas/announcement.ts';
import type { TypedEvent } from './schemas/event.ts';
import { presentSubscription } from './schemas/subscription.ts';

type Deps = Pick<Context, 'models' | 'clock'>;

/** An edit of an older announcement does not announce it again. */
const announcedForMs = dayMs;

export async function recordAnnouncements(
  { models, clock }: Deps,
  announcements: readonly AnnouncementRecord[],
  transaction?: Transaction,
): Promise<void> {
  const now = clock();
  const events = announcements.flatMap((announcement): TypedEvent[] => {
    const { _id, status, publishedAt } = announcement;
    if (status !== 'published' || !publishedAt) return [];
    if (publishedAt.getTime() > now || publishedAt.getTime() < now - announcedForMs) return [];
    const data = { announcement: presentAnnouncement(announcement) };
    const occurrence = `announcement.published ${_id} ${publishedAt.toISOString()}`;
    return [{ type: 'announcement.published', userId: null, at: publishedAt, data, occurrence }];
  });
  await models.events.record(events, transaction);
}

/** Resolves to null if the provider's id is taken. */
export const addSubscription = (deps: Deps, wanted: NewSubscription) =>
  deps.models.transaction(async (transaction) => {
    const [before] = await deps.models.subscriptions.findMany([wanted.providerId], transaction);
    return before ? null : (await putSubscription(deps, wanted, transaction)).subscription;
  });

/** A user who loses a subscription to another user gets `subscription.deleted`. @throws not_found for a deleted user */
export async function putSubscription(deps: Deps, wanted: NewSubscription, transaction: Transaction) {
  const put = await deps.models.subscriptions.put([wanted], new Date(deps.clock()), transaction);
  if (!(await deps.models.users.findInTransaction(wanted.userId, transaction))) throw notFound('User');
  await recordSubscriptionEvents(deps, put, transaction);
  const [subscription] = put.after;
  if (!subscription) throw new Error('a subscription was neither found nor created');
  return { subscription, isCreated: put.before.length === 0 };
}

function subscriptionEventsOf(
  before: SubscriptionRecord | undefined,
  after: SubscriptionRecord,
  at: Date,
): TypedEvent[] {
  const isMoved = before !== undefined && before.userId !== after.userId;
  const subscription = presentSubscription(after);
  if (before && !isMoved && isDeepStrictEqual(presentSubscription(before), subscription)) return [];
  const previous_status = isMoved ? null : (before?.status ?? null);
  const data = { subscription, previous_status };
  const changed = { type: 'subscription.changed', userId: after.userId, at, data } as const;
  return isMoved ? [changed, subscriptionDeleted(before, at)] : [changed];
}

const subscriptionDeleted = (subscription: SubscriptionRecord, at: Date): TypedEvent => ({
  type: 'subscription.deleted',
  userId: subscription.userId,
  at,
  data: { subscription: presentSubscription(subscription) },
});

export async function recordSubscriptionEvents(
  { models, clock }: Deps,
  { before, after }: PutSubscriptions,
  transaction: Transaction,
): Promise<void> {
  const earlier = new Map(before.map((each) => [each.providerId, each]));
  const at = new Date(clock());
  const events = after.flatMap((each) => subscriptionEventsOf(earlier.get(each.providerId), each, at));
  await models.events.record(events, transaction);
}

export async function deleteSubscription(
  { models, clock }: Deps,
  providerId: string,
  transaction: Transaction,
): Promise<boolean> {
  const deleted = await models.subscriptions.delete(providerId, transaction);
  const events = deleted ? [subscriptionDeleted(deleted, new Date(clock()))] : [];
  await models.events.record(events, transaction);
  return deleted !== null;
}

/** Also records the end of the user's subscriptions and keys. Resolves to false if there is no such user. */
export async function deleteUser(
  { models, clock }: Deps,
  id: number,
  transaction: Transaction,
): Promise<boolean> {
  const now = new Date(clock());
  const ended = await models.userAccess.delete(id, now, transaction);
  if (!ended) return false;
  const deleted = ended.subscriptions.map((each) => subscriptionDeleted(each, now));
  const revoked = ended.keys.map((key) => keyEvent(key, { type: 'key.revoked', at: now, reason: null }));
  const data = { former_email: ended.email };
  const deletion = { type: 'user.deleted', userId: id, at: now, data } satisfies TypedEvent;
  await models.events.record([...deleted, ...revoked, deletion], transaction);
  return true;
}

interface KeyEvent {
  type: 'key.created' | 'key.revoked' | 'key.expiring';
  at: Date;
  reason: string | null;
  transaction?: Transaction;
}

/** A key, or an app's access, which events show as a key. */
export type KeyOrAccess = Pick<ApiKeyRecord, '_id' | 'userId' | 'name' | 'prefix' | 'scopes' | 'expiresAt'>;

/** Records each type at most once per key. A new key that expires within `expiryNoticeMs` gets `key.expiring` at once. */
export async function recordKeyEvent(
  { models: { events } }: Pick<Deps, 'models'>,
  key: KeyOrAccess,
  { transaction, ...event }: KeyEvent,
): Promise<void> {
  const lastsMs = (key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - event.at.getTime();
  // The sweep finds keys when their notice period begins, and this key is already within it.
  const isShort = event.type === 'key.created' && lastsMs <= expiryNoticeMs;
  const expiring = isShort ? [keyEvent(key, { ...event, type: 'key.expiring', reason: null })] : [];
  await events.record([keyEvent(key, event), ...expiring], transaction);
}

export const expiryNoticeMs = 7 * dayMs;

/** Without this, a new webhook would miss the warnings about keys that are already within their notice period. */
export async function recordExpiringKeys({ models, clock }: Deps, userId: number): Promise<void> {
  const now = new Date(clock());
  const horizon = now.getTime() + expiryNoticeMs;
  const expiring = (await models.apiKeys.listLive(userId, now)).filter(
    ({ expiresAt, replacedBy }) => expiresAt && expiresAt.getTime() <= horizon && !replacedBy,
  );
  await Promise.all(
    expiring.map((key) => recordKeyEvent({ models }, key, { type: 'key.expiring', at: now, reason: null })),
  );
}

function keyEvent(
  { _id, userId, name, prefix, scopes, expiresAt }: KeyOrAccess,
  { type, at, reason }: KeyEvent,
): TypedEvent {
  const key = { name, prefix, scopes, expires_at: expiresAt?.toISOString() ?? null };
  return { type, userId, at, data: { key, reason }, occurrence: `${type} ${_id}` };
}

/** Also ends the session. Resolves to null if the session had already ended. */
export async function setPassword(
  { models, clock }: Deps,
  { id, user, linkKeyId }: VerifiedSession,
  password: string,
) {
  const passwordHash = await hashPassword(password);
  return models.transaction(async (transaction) => {
    if (!(await models.sessions.endOwned(user._id, id, transaction))) return null;
    const from = { keyId: linkKeyId ?? null, session: transaction };
    const changed = await models.users.setPassword(user, passwordHash, from);
    const event = { type: 'password.changed', userId: user._id, at: new Date(clock()), data: {} } as const;
    await models.events.record(changed ? [event] : [], transaction);
    return changed;
  });
}

export const recordAppConnected = (
  { models: { events } }: Pick<Deps, 'models'>,
  { userId, app, scopes, createdAt: at }: OAuthGrantRecord,
  transaction: Transaction,
): Promise<void> => {
  const data = { app: { name: app.name }, scopes };
  const event = { type: 'app.connected', userId, at, data } satisfies TypedEvent;
  return events.record([event], transaction);
};

interface PowerEvent {
  userId: number;
  identifier: string;
  signal: string;
}

/** Stores the event first: once the panel has the signal, a failure here must not make the caller send the signal again. */
export async function sendPower(
  { models: { events }, clock }: Deps,
  { userId, identifier, signal }: PowerEvent,
  send: () => Promise<void>,
): Promise<void> {
  const data = { server: { identifier }, signal };
  const powerEvent = { type: 'server.power', userId, at: new Date(clock()), data } satisfies TypedEvent;
  const event = await events.recordTentatively(powerEvent);
  try {
    await send();
  } catch (failure) {
    await event.cancel().catch(() => {}); // the caller must get the panel's failure, not this one
    throw failure;
  }
  event.confirm();
}
