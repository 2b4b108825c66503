/**
 * Events: what happened, stored with the write that caused it where webhooks or mail are on. Who gets an event is decided when
 * it is turned into deliveries.
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
  /** The customer concerned; null: everybody. */
  userId: number | null;
  at: Date;
  /** As a customer's destination gets it. */
  data: object;
  isByStaff?: boolean;
  /** Names what happened: of one occurrence one event is made, however often it is recorded. */
  occurrence?: string;
}

/** What is told together, because there was too much; `former_email`: who is told, where that is not the present address. */
type CollectedNotices = Pick<EventRecord, 'userId' | 'user' | 'at'> & {
  data: { audience: Audience; former_email: string | null };
};

interface TentativeEvent {
  /** It happened. Without this call, as when the process died, it is taken to have happened after a minute. */
  confirm(): void;
  /** It did not happen. */
  cancel(): Promise<void>;
}

/** What is stored for the dispatcher: events, or tickets of which it makes events. */
type Stored = 'events' | 'tickets';

const collectedMs = 60 * 60_000;
/** Longer than what is tried may take. */
const tentativeMs = 60_000;
/** How long a process that takes an event has it before the next one does. */
const takenMs = 45_000;

export class Events {
  readonly #collection: mongo.Collection<EventRecord>;
  readonly #vault: Vault;
  readonly #users: Users;
  /** Whether mail is on, here or in another process. */
  isMailOn = false;
  /** By id; null past its retention. */
  readonly find: (id: string) => Promise<EventRecord | null>;
  #listener = (_of: Stored) => {};

  constructor(connection: Connection, { vault, users }: { vault: Vault; users: Users }) {
    this.#collection = defineEvents(connection);
    this.#vault = vault;
    this.#users = users;
    this.find = createLoader(connection, 'webhook_events', '_id');
  }

  /** Whether events are stored: webhooks or mail are on. */
  get isOn(): boolean {
    return this.isMailOn || this.#vault.isUnlocked;
  }

  /** The dispatcher of this process is called when something may be stored for it. */
  onStored(listener: (of: Stored) => void): void {
    this.#listener = listener;
  }

  notifyDispatcher(of: Stored = 'events'): void {
    this.#listener(of);
  }

  /**
   * Stores events inside the transaction of the write that caused them, after which `announce` is to be called; what no write
   * causes has an `occurrence` that a repetition names again.
   */
  async record(events: readonly NewEvent[], transaction?: ClientSession): Promise<void> {
    if (!this.isOn || events.length === 0) return;
    const now = new Date();
    const due = (await this.toRecords(events)).map((event) => ({ ...event, fanOutAt: now }));
    // In a transaction, one that is stored already may not fail.
    if (transaction) await this.#collection.bulkWrite(due.map(toUpsert), { session: transaction });
    else await this.addAll(due);
    if (!transaction) this.notifyDispatcher();
  }

  /** As they are stored. */
  toRecords(events: readonly NewEvent[]): Promise<EventRecord[]> {
    return Promise.all(
      events.map(async ({ occurrence, ...event }) => {
        const user = event.userId === null ? null : await this.#findUser(event.userId);
        return { _id: eventId(occurrence), ...event, user, storedAt: new Date() };
      }),
    );
  }

  /** One that is stored already stays as it is. */
  async addAll(events: readonly EventRecord[], transaction?: ClientSession): Promise<void> {
    await insertMissing(this.#collection, events, transaction);
  }

  /** Stores an event of what is about to be tried elsewhere, so that once it succeeded nothing of ours can fail. */
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

  /** Deletes events that have no recipient. */
  async forget(events: readonly Pick<EventRecord, '_id'>[]): Promise<void> {
    if (events.length > 0) await this.#collection.deleteMany(anyOf(events));
  }

  /** Stores a test for one destination, whatever it subscribes to. */
  async addTest(userId: number, now: Date, transaction?: ClientSession): Promise<EventRecord> {
    const test = { type: 'webhook.test', userId, at: now, data: {} } as const;
    const event = { _id: eventId(undefined), ...test, user: null, storedAt: new Date() };
    await this.addAll([event], transaction);
    return event;
  }

  /** Adds to what one event tells an hour after the first of them; what is named by one id once. */
  async collect(
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
    // It is there by now, with this item or without.
    if (!(await nullOnDuplicateKey('_id', added))) await this.#collection.updateOne(missing, update);
  }

  /** Takes events that no process has turned into deliveries. That two processes take the same does no harm. */
  async takeWaiting(limit: number, now: Date): Promise<EventRecord[]> {
    const isWaiting = { fanOutAt: { $lte: now } };
    const find = (order: 1 | -1) =>
      this.#collection.find(isWaiting, { sort: { fanOutAt: order }, limit }).toArray();
    const oldest = await find(1);
    // What happens during a flood does not wait for all of it.
    const newest = oldest.length < limit ? [] : await find(-1);
    const taken = [...new Map([...oldest, ...newest].map((event) => [event._id, event])).values()];
    const fanOutAt = new Date(now.getTime() + takenMs);
    if (taken.length > 0)
      await this.#collection.updateMany({ ...anyOf(taken), ...isWaiting }, { $set: { fanOutAt } });
    return taken;
  }

  /** All their deliveries are stored. */
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
