/**
 * Events: what happened, stored with the write that caused it, for those destinations that get it. Where none gets an event,
 * nothing is stored and no database is queried.
 */
import { hash, randomBytes } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { collectedNoticesMax } from '../bounds.ts';
import { createBatcher } from '../support/batcher.ts';
import { createLoader } from '../support/reads.ts';
import { collectFailures, insertAll, isDuplicateId, nullOnDuplicateKey } from '../support/writes.ts';
import type { Users } from '../user.ts';
import type { EventType, NoticeKind } from './event-types.ts';
import { type Audience, type EventRecord, type EventUser, eventSchema } from './schema.ts';
import type { Concerned, SubscriberList, Subscribers } from './subscribers.ts';

export interface NewEvent {
  type: EventType;
  /** The customer concerned; null: everybody. */
  userId: Concerned;
  at: Date;
  /** As a customer's destination gets it. */
  data: object;
  isByStaff?: boolean;
  /** Names what happened: of one occurrence one event is made, however often it is recorded. */
  occurrence?: string;
}

/** A notice that is told with others, because there were too many. */
interface CollectedNotice {
  userId: number;
  audience: Audience;
  user: EventUser | null;
  item: { id: string; text: string; path: string; kind: NoticeKind | null };
  /** Who is told, where that is not the user's present address. */
  formerEmail?: string | null;
  at: Date;
}

interface EventsDeps {
  subscribers: Subscribers;
  users: Users;
}

interface HeldEvent {
  /** It happened. Without this call, as when the process died, it is taken to have happened after a minute. */
  confirm(): void;
  /** It did not happen. */
  cancel(): Promise<void>;
}

const collectedMs = 60 * 60_000;
/** Longer than what is tried may take. */
const heldMs = 60_000;
/** How long the process that stored an event has it for itself before others take it. */
const ownMs = 2000;
/** How long a process that takes an event has it before the next one does. */
const takenMs = 45_000;

export class WebhookEvents {
  readonly #model;
  readonly #collection: mongo.Collection<EventRecord>;
  readonly #subscribers: Subscribers;
  readonly #users: Users;
  /** By id; null past its retention. */
  readonly find: (id: string) => Promise<EventRecord | null>;
  /** False for an event that is stored already. */
  readonly #insert: (event: EventRecord) => Promise<boolean>;
  #listener: ((events: EventRecord[]) => void) | null = null;

  constructor(connection: Connection, deps: EventsDeps) {
    this.#model = connection.model('WebhookEvent', eventSchema, 'webhook_events');
    this.#collection = connection.collection<EventRecord>('webhook_events');
    this.#subscribers = deps.subscribers;
    this.#users = deps.users;
    this.find = createLoader({ connection, collection: 'webhook_events', field: '_id' });
    this.#insert = createBatcher((events) => this.#insertMany(events));
  }

  /** The dispatcher of this process, which gets each event right after it is stored; an empty list: look for some. */
  onRecorded(listener: (events: EventRecord[]) => void): void {
    this.#listener = listener;
  }

  /** Whether anybody gets one of these; `undefined`: of any customer at all. Queries the database at most once a second. */
  async isWanted(types: readonly EventType[], userId?: Concerned): Promise<boolean> {
    const subscribers = await this.#subscribers.read();
    return types.some((type) => subscribers.isWanted(type, userId ?? null));
  }

  /** Resolves when a destination that is stored now misses no event of a write that begins, in whichever process. */
  settleSubscribers(): Promise<void> {
    return this.#subscribers.settle();
  }

  /** The customers whose events of a type some destination gets; null: all customers. */
  async listConcerned(type: EventType): Promise<number[] | null> {
    return (await this.#subscribers.read()).listConcerned(type);
  }

  /**
   * Stores those of the events that a destination gets, inside the transaction of the write that caused them; what no write
   * causes has an `occurrence` that a repetition names again.
   */
  async record(events: readonly NewEvent[], transaction?: ClientSession): Promise<void> {
    const subscribers = await this.#subscribers.read();
    const wanted = events.filter(({ type, userId }) => subscribers.isWanted(type, userId));
    if (wanted.length === 0) return;
    const records = await Promise.all(wanted.map((event) => this.#toRecord(event, subscribers)));
    if (transaction) {
      // The next sweep may have them: until the commit, it does not see them.
      for (const record of records) record.fanOutAt = record.storedAt;
      await this.#collection.insertMany(records, { session: transaction });
    } else {
      const areNew = await Promise.all(records.map(this.#insert));
      // What is stored already has its deliveries, or a sweep makes them.
      const added = records.filter((_, index) => areNew[index]);
      if (added.length > 0) this.#listener?.(added);
    }
  }

  /** Stores an event of what is about to be tried elsewhere, so that once it succeeded nothing of ours can fail. */
  async hold(event: NewEvent): Promise<HeldEvent> {
    const subscribers = await this.#subscribers.read();
    if (!subscribers.isWanted(event.type, event.userId)) return { confirm() {}, async cancel() {} };
    const record = await this.#toRecord(event, subscribers);
    record.fanOutAt = new Date(record.storedAt.getTime() + heldMs);
    await this.#insert(record);
    return {
      confirm: () => this.#listener?.([record]),
      cancel: () => this.forget(record._id),
    };
  }

  /** Deletes an event that has no recipient. */
  async forget(id: string): Promise<void> {
    await this.#model.deleteOne({ _id: id });
  }

  /** Events of a transaction may be visible now. */
  announceCommit(): void {
    this.#listener?.([]);
  }

  /**
   * Stores a test for one destination, whatever it subscribes to.
   * @param occurrence the same for each try of one write, which makes one event
   */
  async addTest(userId: number, now: Date, occurrence?: string): Promise<EventRecord> {
    const test = { type: 'webhook.test', userId, at: now, data: {} } as const;
    const event = { _id: eventId(occurrence), ...test, user: null, storedAt: new Date() };
    await this.#insert(event);
    return event;
  }

  /** Adds to what one event tells an hour after the first of them; what is named by one id once. */
  async collect({ userId, audience, user, item, formerEmail = null, at }: CollectedNotice): Promise<void> {
    const whose = `${audience} ${userId}${formerEmail === null ? '' : ` ${formerEmail}`}`;
    const _id = eventId(`notices.collected ${whose} ${Math.floor(at.getTime() / collectedMs)}`);
    const data = { 'data.audience': audience, 'data.former_email': formerEmail };
    const due = new Date(at.getTime() + collectedMs);
    const type = 'notices.collected' as const;
    const update = {
      $setOnInsert: { type, userId, user, at: due, fanOutAt: due, storedAt: due, ...data },
      $push: { 'data.items': { $each: [item], $slice: -collectedNoticesMax } },
      $inc: { 'data.count': 1 },
    };
    const missing = { _id, 'data.items.id': { $ne: item.id } };
    const added = this.#collection.updateOne(missing, update, { upsert: true });
    // It is there by now, with this item or without.
    if (!(await nullOnDuplicateKey('_id', added))) await this.#collection.updateOne(missing, update);
  }

  /**
   * Takes events that no process has turned into deliveries: the oldest, and where there are more the newest too, so that
   * what happens during a flood does not wait for all of it. That two processes take the same does no harm.
   * @param limit of each
   */
  async takeWaiting(limit: number, now: Date): Promise<EventRecord[]> {
    const isWaiting = { fanOutAt: { $lte: now } };
    const find = (order: 1 | -1) => this.#model.find(isWaiting).sort({ fanOutAt: order }).limit(limit).lean();
    const oldest = await find(1);
    const newest = oldest.length < limit ? [] : await find(-1);
    const taken = [...new Map([...oldest, ...newest].map((event) => [event._id, event])).values()];
    const fanOutAt = new Date(now.getTime() + takenMs);
    if (taken.length > 0)
      await this.#model.updateMany({ _id: { $in: taken.map(({ _id }) => _id) }, ...isWaiting }, { fanOutAt });
    return taken;
  }

  /** All their deliveries are stored. */
  async finishFanOut(ids: readonly string[]): Promise<void> {
    await this.#model.updateMany({ _id: { $in: ids } }, { $unset: { fanOutAt: 1 } });
  }

  async #toRecord({ occurrence, ...event }: NewEvent, subscribers: SubscriberList): Promise<EventRecord> {
    const isForHost = subscribers.has('host', event.type, event.userId);
    const user = isForHost && event.userId !== null ? await this.#findUser(event.userId) : null;
    const storedAt = new Date();
    const fanOutAt = new Date(storedAt.getTime() + (this.#listener ? ownMs : 0));
    return { _id: eventId(occurrence), ...event, user, fanOutAt, storedAt };
  }

  async #findUser(id: number): Promise<EventUser | null> {
    const user = await this.#users.find(id);
    if (!user) return null;
    const { email, externalId, nickname } = user;
    return { id, email, externalId, nickname };
  }

  /** An event that is stored already stays as it is. */
  async #insertMany(events: EventRecord[]): Promise<(boolean | Error)[]> {
    const failures = await collectFailures(() => insertAll(this.#collection, events));
    return events.map((_, index) => {
      const failure = failures.get(index);
      return failure && !isDuplicateId(failure) ? failure : failure === undefined;
    });
  }
}

const eventId = (occurrence: string | undefined) =>
  `evt_${occurrence === undefined ? randomBytes(16).toString('hex') : hash('sha256', occurrence, 'hex').slice(0, 32)}`;
