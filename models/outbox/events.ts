/**
 * Events: what happened, stored with the write that caused it while webhooks or mail are on. The recipients are chosen when an
 * event is turned into deliveries.
 */
import { hash, randomBytes } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { collectedNoticesMax } from '../bounds.ts';
import { createLoader } from '../support/reads.ts';
import { insertMissing, nullOnDuplicateKey } from '../support/writes.ts';
import type { Users } from '../user.ts';
import type { Vault } from '../vault.ts';
import type { EventType, NoticeKind } from './event-types.ts';
import { type Audience, defineEvents, type EventRecord, type EventUser } from './schema.ts';

export interface NewEvent {
  type: EventType;
  /** The customer concerned; null: all customers. */
  userId: number | null;
  at: Date;
  /** In the form that a customer's destination gets. */
  data: object;
  isByStaff?: boolean;
  /** Identifies what happened. One occurrence becomes one event, however often it is recorded. */
  occurrence?: string;
}

/** Too many notices for separate mails, sent in one. `former_email`: the recipient, if not the user's current address. */
type CollectedNotices = Pick<EventRecord, 'userId' | 'user' | 'at'> & {
  data: { audience: Audience; former_email: string | null };
};

interface TentativeEvent {
  /** Call this after the attempt succeeded. Without a call to either method, the event is sent after a minute. */
  confirm(): void;
  cancel(): Promise<void>;
}

/** The dispatcher reads events, and tickets whose facts become events. */
type Stored = 'events' | 'tickets';

const collectedMs = 60 * 60_000;
/** Longer than an attempted action can take. */
const tentativeMs = 60_000;
/** Another process may take an event this long after the first one took it. */
const takenMs = 45_000;

export class Events {
  readonly #collection: mongo.Collection<EventRecord>;
  readonly #vault: Vault;
  readonly #users: Users;
  /** Whether mail is on, here or in another process. */
  isMailOn = false;
  /** Resolves to null after the event's retention. */
  readonly find: (id: string) => Promise<EventRecord | null>;
  #listener = (_of: Stored) => {};

  constructor(connection: Connection, { vault, users }: { vault: Vault; users: Users }) {
    this.#collection = defineEvents(connection);
    this.#vault = vault;
    this.#users = users;
    this.find = createLoader(connection, 'webhook_events', '_id');
  }

  get isOn(): boolean {
    return this.isMailOn || this.#vault.isUnlocked;
  }

  onStored(listener: (of: Stored) => void): void {
    this.#listener = listener;
  }

  notifyDispatcher(of: Stored = 'events'): void {
    this.#listener(of);
  }

  /**
   * Pass the transaction of the write that caused the events, and call `notifyDispatcher` afterwards. An event that no write
   * causes needs an `occurrence`: recording the same occurrence again stores nothing.
   */
  async record(events: readonly NewEvent[], transaction?: ClientSession): Promise<void> {
    if (!this.isOn || events.length === 0) return;
    const now = new Date();
    const due = (await this.toRecords(events)).map((event) => ({ ...event, fanOutAt: now }));
    // A duplicate key would abort the transaction, so an event that is already stored is upserted.
    if (transaction) await this.#collection.bulkWrite(due.map(toUpsert), { session: transaction });
    else await this.addAll(due);
    if (!transaction) this.notifyDispatcher();
  }

  toRecords(events: readonly NewEvent[]): Promise<EventRecord[]> {
    return Promise.all(
      events.map(async ({ occurrence, ...event }) => {
        const user = event.userId === null ? null : await this.#findUser(event.userId);
        return { _id: eventId(occurrence), ...event, user, storedAt: new Date() };
      }),
    );
  }

  /** Does not change events that are already stored. */
  async addAll(events: readonly EventRecord[], transaction?: ClientSession): Promise<void> {
    await insertMissing(this.#collection, events, transaction);
  }

  /** Stores an event before its cause is attempted elsewhere, so that nothing here can fail after the attempt succeeds. */
  async recordTentatively(event: NewEvent): Promise<TentativeEvent> {
    const [held] = this.isOn ? await this.toRecords([event]) : [];
    if (!held) return { confirm() {}, async cancel() {} };
    const { _id, storedAt } = held;
    await this.#collection.insertOne({ ...held, fanOutAt: new Date(storedAt.getTime() + tentativeMs) });
    return {
      confirm: () => {
        const confirmed = this.#collection.updateOne({ _id }, { $set: { fanOutAt: storedAt } });
        void confirmed.then(() => this.notifyDispatcher()).catch(() => {});
      },
      cancel: () => this.forget([held]),
    };
  }

  /** For events that have no recipient. */
  async forget(events: readonly Pick<EventRecord, '_id'>[]): Promise<void> {
    if (events.length > 0) await this.#collection.deleteMany(anyOf(events));
  }

  /** Adds a test event for one destination, whatever that destination subscribes to. */
  async addTest(userId: number, now: Date, transaction?: ClientSession): Promise<EventRecord> {
    const test = { type: 'webhook.test', userId, at: now, data: {} } as const;
    const event = { _id: eventId(undefined), ...test, user: null, storedAt: new Date() };
    await this.addAll([event], transaction);
    return event;
  }

  /** Adds an item to an event that is due an hour after its first item. Each item's id is added once. */
  async addToCollected(
    { userId, user, at, data: { audience, former_email } }: CollectedNotices,
    item: { id: string; text: string; path: string; kind: NoticeKind | null },
  ): Promise<void> {
    const hour = Math.floor(at.getTime() / collectedMs);
    const _id = eventId(`notices.collected ${audience} ${userId} ${former_email} ${hour}`);
    const due = new Date(at.getTime() + collectedMs);
    const record = {
      type: 'notices.collected',
      userId,
      user,
      at: due,
      fanOutAt: due,
      storedAt: due,
    } as const;
    const update = {
      $setOnInsert: { ...record, 'data.audience': audience, 'data.former_email': former_email },
      $push: { 'data.items': { $each: [item], $slice: -collectedNoticesMax } },
      $inc: { 'data.count': 1 },
    };
    const missing = { _id, 'data.items.id': { $ne: item.id } };
    const added = this.#collection.updateOne(missing, update, { upsert: true });
    // The upsert failed because the event exists by now, with or without this item.
    if (!(await nullOnDuplicateKey('_id', added))) await this.#collection.updateOne(missing, update);
  }

  /** Takes events that no process has turned into deliveries. Two processes may take the same event without harm. */
  async takeWaiting(limit: number, now: Date): Promise<EventRecord[]> {
    const isWaiting = { fanOutAt: { $lte: now } };
    const find = (order: 1 | -1) =>
      this.#collection.find(isWaiting, { sort: { fanOutAt: order }, limit }).toArray();
    const oldest = await find(1);
    // The newest events are taken too, so that they do not wait behind a long backlog.
    const newest = oldest.length < limit ? [] : await find(-1);
    const taken = [...new Map([...oldest, ...newest].map((event) => [event._id, event])).values()];
    const fanOutAt = new Date(now.getTime() + takenMs);
    if (taken.length > 0)
      await this.#collection.updateMany({ ...anyOf(taken), ...isWaiting }, { $set: { fanOutAt } });
    return taken;
  }

  /** Call it when all deliveries of these events are stored. */
  async finishFanOut(events: readonly EventRecord[]): Promise<void> {
    if (events.length > 0) await this.#collection.updateMany(anyOf(events), { $unset: { fanOutAt: 1 } });
  }

  async #findUser(id: number): Promise<EventUser | null> {
    const user = await this.#users.find(id);
    if (!user) return null;
    const { email, externalId, nickname } = user;
    return { id, email, externalId, nickname };
  }
}

const toUpsert = ({ _id, ...event }: EventRecord) => ({
  updateOne: { filter: { _id }, update: { $setOnInsert: event }, upsert: true },
});

const anyOf = (events: readonly Pick<EventRecord, '_id'>[]) => ({
  _id: { $in: events.map(({ _id }) => _id) },
});

const eventId = (occurrence: string | undefined) =>
  `evt_${occurrence === undefined ? randomBytes(16).toString('hex') : hash('sha256', occurrence, 'hex').slice(0, 32)}`;
