/** Mail about events: who gets it under the settings, and the links that turn off one kind of mail. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { expiringSweep, type SharedState } from '../shared-state.ts';
import type { Deliveries } from './deliveries.ts';
import type { Destinations } from './destinations.ts';
import { type NoticeKind, noticeKinds } from './event-types.ts';
import type { Events } from './events.ts';
import { type Audience, type DestinationRecord, mailIds } from './schema.ts';

type MailName = keyof typeof mailIds;
const mailNames = ['customer', 'links', 'host'] as const;

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

interface Unsubscription {
  userId: number;
  kind: NoticeKind;
}

interface NoticesDeps {
  destinations: Destinations;
  deliveries: Deliveries;
  events: Events;
  sharedState: SharedState;
}

export class Notices {
  readonly #deps: NoticesDeps;
  #key: string | null = null;

  constructor(deps: NoticesDeps) {
    this.#deps = deps;
  }

  /** Turns mail on for these audiences, and off for the others, whose waiting mail is kept. */
  async applySettings(audiences: readonly Audience[], now: Date): Promise<void> {
    const { destinations, events } = this.#deps;
    for (const name of mailNames)
      if (audiences.includes(audienceOf(name))) await this.#turnOn(name, now);
      else await destinations.turnMailOff(mailIds[name]);
    events.isMailOn = audiences.length > 0;
  }

  /** Whether customers get mail, from this process or another. Also makes this process store events while any mail is on. */
  async isOn(): Promise<boolean> {
    const found = await this.#deps.destinations.findMany(Object.values(mailIds));
    const active = found.filter(({ isActive }) => isActive);
    this.#deps.events.isMailOn = active.length > 0;
    return active.some(({ _id }) => _id === mailIds.customer);
  }

  /** Turns mail off for all recipients and deletes waiting mail. */
  async turnOff(): Promise<void> {
    for (const id of Object.values(mailIds)) {
      await this.#deps.destinations.remove(id);
      await this.#deps.deliveries.removeOf(id);
    }
  }

  async #turnOn(name: MailName, now: Date): Promise<void> {
    const { destinations, sharedState } = this.#deps;
    const mail = { _id: mailIds[name], audience: audienceOf(name), events: eventsOf[name] };
    const isNew = await destinations.turnMailOn(mail, now);
    // Restarts the sweep: while mail was off, it may have passed keys that expire soon.
    if (isNew && name === 'customer') await sharedState.set(expiringSweep, { upTo: now });
  }

  /** The token of a link that turns off one kind of mail, and can do nothing else. */
  async signUnsubscription({ userId, kind }: Unsubscription): Promise<string> {
    const text = `${userId}.${kind}`;
    return `${text}.${createHmac('sha256', await this.#readKey())
      .update(text)
      .digest('base64url')}`;
  }

  /** Null for a token that this service did not sign. */
  async readUnsubscription(token: string): Promise<Unsubscription | null> {
    const [id = '', name = ''] = token.split('.', 2);
    const kind = noticeKinds.find((each) => each === name);
    if (!kind || !/^\d{1,15}$/.test(id)) return null;
    const unsubscription = { userId: Number(id), kind };
    const signed = Buffer.from(await this.signUnsubscription(unsubscription));
    const given = Buffer.from(token);
    return given.length === signed.length && timingSafeEqual(given, signed) ? unsubscription : null;
  }

  /** All processes share the key. It is stored unencrypted, because it can only turn mail off. */
  async #readKey(): Promise<string> {
    if (this.#key) return this.#key;
    const made = randomBytes(32).toString('base64url');
    const stored = await this.#deps.sharedState.ensure({ _id: keyId, unsubscribeKey: made });
    this.#key = stored.unsubscribeKey ?? made;
    return this.#key;
  }
}

const keyId = 'unsubscriptions';

const audienceOf = (name: MailName): Audience => (name === 'host' ? 'host' : 'customer');
