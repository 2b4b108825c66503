/** Mail about what happens: its destinations, as the settings have them, and which kinds of notices a customer wants. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { ensureState, expiringSweep, type StateRecord } from '../shared-state.ts';
import type { UserRecord } from '../user.ts';
import { type NoticeKind, noticeKinds } from './event-types.ts';
import type { WebhookEvents } from './events.ts';
import {
  type Audience,
  type DeliveryRecord,
  type DestinationRecord,
  everyCustomer,
  untried,
} from './schema.ts';

/**
 * The destinations: notices to customers, links to sign in, and the host's support. Links have one of their own, so that none
 * waits behind notices.
 */
export const mailIds = { customer: 'mail_customers', links: 'mail_links', host: 'mail_support' } as const;

type MailName = keyof typeof mailIds;

/** The events that each group of recipients gets mail about. */
const eventsOf: Record<MailName, DestinationRecord['events']> = {
  customer: [
    ...(['ticket.replied', 'ticket.status_changed'] as const),
    ...(['key.created', 'key.revoked', 'key.expiring', 'webhook.disabled', 'app.connected'] as const),
    ...(['password.changed', 'email.changed', 'user.deleted', 'panel_user.removed'] as const),
    ...(['factor.added', 'factor.removed', 'factors.reset', 'recovery_code.used'] as const),
    'notices.collected',
    'user.invited',
  ],
  links: ['link.requested'],
  host: ['ticket.created', 'ticket.replied', 'notices.collected'],
};

interface NoticeChanges {
  on?: readonly NoticeKind[];
  off?: readonly NoticeKind[];
}

interface Unsubscription {
  userId: number;
  kind: NoticeKind;
}

export class Notices {
  readonly #destinations: mongo.Collection<DestinationRecord>;
  readonly #deliveries: mongo.Collection<DeliveryRecord>;
  readonly #users: mongo.Collection<UserRecord>;
  readonly #state: mongo.Collection<StateRecord>;
  readonly #events: WebhookEvents;
  #key: string | null = null;

  constructor(connection: Connection, events: WebhookEvents) {
    this.#destinations = connection.collection<DestinationRecord>('webhooks');
    this.#deliveries = connection.collection<DeliveryRecord>('webhook_deliveries');
    this.#users = connection.collection<UserRecord>('users');
    this.#state = connection.collection<StateRecord>('webhook_state');
    this.#events = events;
  }

  /** Has these audiences get mail from now on, and no other; what waits for another waits on. */
  async settle(audiences: readonly Audience[], now: Date): Promise<void> {
    for (const name of ['customer', 'links', 'host'] as const)
      if (audiences.includes(audienceOf(name))) await this.#turnOn(name, now);
      else await this.#destinations.updateOne({ _id: mailIds[name] }, { $set: { isActive: false } });
    this.#events.hasMail = audiences.length > 0;
  }

  /** Whether customers get mail, from this process or from another one. While any mail is on, this one stores events. */
  async isOn(): Promise<boolean> {
    const on = { _id: { $in: Object.values(mailIds) }, isActive: true };
    const found = await this.#destinations.find(on, { projection: { _id: 1 } }).toArray();
    this.#events.hasMail = found.length > 0;
    return found.some(({ _id }) => _id === mailIds.customer);
  }

  /** Turns mail off for all recipients; what waits is dropped. */
  async turnOff(): Promise<void> {
    for (const id of Object.values(mailIds)) {
      await this.#destinations.deleteOne({ _id: id });
      await this.#deliveries.deleteMany({ endpointId: id });
    }
  }

  async #turnOn(name: MailName, now: Date): Promise<void> {
    const { isActive, ...created } = newDestination(audienceOf(name), now);
    const update = { $set: { events: eventsOf[name], isActive }, $setOnInsert: created };
    const options = { upsert: true };
    const { upsertedCount } = await this.#destinations.updateOne({ _id: mailIds[name] }, update, options);
    // Customers are told of keys that expire soon also where that was found out before.
    if (upsertedCount === 1 && name === 'customer')
      await this.#state.updateOne({ _id: expiringSweep }, { $set: { upTo: now } }, options);
  }

  /** Turns kinds of notices on and off for a user; false when there is none. */
  async change(
    userId: number,
    { on = [], off = [] }: NoticeChanges,
    transaction?: ClientSession,
  ): Promise<boolean> {
    const kept = { $setDifference: [{ $ifNull: ['$noticesOff', []] }, on] };
    const update = [{ $set: { noticesOff: { $setUnion: [kept, off] } } }];
    const options = transaction && { session: transaction };
    const { matchedCount } = await this.#users.updateOne({ _id: userId }, update, options);
    return matchedCount === 1;
  }

  /** What lets a mail's recipient turn its kind off, and nothing else. */
  async signUnsubscription({ userId, kind }: Unsubscription): Promise<string> {
    const text = `${userId}.${kind}`;
    return `${text}.${createHmac('sha256', await this.#readKey())
      .update(text)
      .digest('base64url')}`;
  }

  /** Null for what was not signed here. */
  async readUnsubscription(token: string): Promise<Unsubscription | null> {
    const [id = '', name = ''] = token.split('.', 2);
    const kind = noticeKinds.find((each) => each === name);
    if (!kind || !/^\d{1,15}$/.test(id)) return null;
    const unsubscription = { userId: Number(id), kind };
    const signed = Buffer.from(await this.signUnsubscription(unsubscription));
    const given = Buffer.from(token);
    return given.length === signed.length && timingSafeEqual(given, signed) ? unsubscription : null;
  }

  /** One for all processes; it is stored as it is, because it turns mail off and opens nothing. */
  async #readKey(): Promise<string> {
    const made = randomBytes(32).toString('base64url');
    this.#key ??=
      (await ensureState(this.#state, { _id: keyId, unsubscribeKey: made })).unsubscribeKey ?? made;
    return this.#key;
  }
}

const keyId = 'unsubscriptions';

const audienceOf = (name: MailName): Audience => (name === 'host' ? 'host' : 'customer');

const newDestination = (audience: Audience, now: Date): Omit<DestinationRecord, '_id' | 'events'> => ({
  ...{ userId: everyCustomer, audience, url: '', format: 'mail', description: null },
  ...{ madeBy: null, keyId: '', setByKeyId: '', ...untried(now) },
});
