/**
 * Who subscribes to what, kept in the memory of each process and at most a second old, so that a write queries no database
 * whether anybody gets its events. A change made in this process counts at once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { type EventType, includesType } from './event-types.ts';
import { type Audience, type DestinationRecord, everyCustomer } from './schema.ts';

const freshMs = 1000;
/** A timer may end a little early. */
const timerToleranceMs = 10;

/** The customer an event concerns; null: all customers. */
export type Concerned = number | null;

type Subscriber = Pick<DestinationRecord, 'userId' | 'audience' | 'events'>;
type Types = Set<Subscriber['events'][number]>;

/** What the active destinations subscribe to, as it was read at one moment. */
export class SubscriberList {
  readonly #ofCustomer = new Map<number, Types>();
  /** Of all destinations of an audience. */
  readonly #ofAll: Record<Audience, Types> = { customer: new Set(), host: new Set() };

  constructor(subscribers: readonly Subscriber[]) {
    for (const { userId, audience, events } of subscribers)
      for (const type of events) {
        this.#ofAll[audience].add(type);
        if (audience !== 'customer') continue;
        const ofCustomer = this.#ofCustomer.get(userId) ?? new Set();
        this.#ofCustomer.set(userId, ofCustomer.add(type));
      }
  }

  /** Whether a destination of either audience gets an event of the type. */
  isWanted(type: EventType, concerned: Concerned): boolean {
    return this.has('customer', type, concerned) || this.has('host', type, concerned);
  }

  has(audience: Audience, type: EventType, concerned: Concerned): boolean {
    const isOfCustomer = audience === 'customer' && concerned !== null;
    const lists = isOfCustomer
      ? [this.#ofCustomer.get(concerned), this.#ofCustomer.get(everyCustomer)]
      : [this.#ofAll[audience]];
    return lists.some((types) => types !== undefined && includesType(types, type));
  }

  /** The customers who get events of a type; null: everybody's are wanted by the host. */
  listConcerned(type: EventType): number[] | null {
    if (this.has('host', type, null)) return null;
    return [...this.#ofCustomer.keys()].filter((userId) => this.has('customer', type, userId));
  }
}

interface Reading {
  startedAt: number;
  list: Promise<SubscriberList>;
}

export class Subscribers {
  readonly #destinations: mongo.Collection<DestinationRecord>;
  readonly #isShared: boolean;
  #known: { list: SubscriberList; readAt: number } | null = null;
  #reading: Reading | null = null;

  /** @param isShared whether other processes may serve on this database */
  constructor(connection: Connection, { isShared = false }: { isShared?: boolean }) {
    this.#destinations = connection.collection<DestinationRecord>('webhooks');
    this.#isShared = isShared;
  }

  /** The list as it was a second ago or later; a promise where it is read for that. */
  read(): SubscriberList | Promise<SubscriberList> {
    const now = performance.now();
    if (this.#known && now - this.#known.readAt < freshMs) return this.#known.list;
    // What a slow read finds may be as old as its start.
    if (this.#reading && now - this.#reading.startedAt < freshMs) return this.#reading.list;
    return this.#beginRead(now);
  }

  /** The next question reads the list, even while a read is in progress: that one may have begun before a change. */
  expire(): void {
    this.#known = null;
    this.#reading = null;
  }

  /** Resolves when every process that serves on this database knows of what is stored now. */
  async settle(): Promise<void> {
    if (this.#isShared) await delay(freshMs + timerToleranceMs);
  }

  #beginRead(startedAt: number): Promise<SubscriberList> {
    const reading = { startedAt, list: this.#find() };
    this.#reading = reading;
    // One that is not the newest any more is for those only who have waited for it.
    const end = (known: { list: SubscriberList; readAt: number } | null) => {
      if (this.#reading !== reading) return;
      this.#reading = null;
      this.#known = known;
    };
    reading.list.then(
      (list) => end({ list, readAt: startedAt }),
      () => end(null),
    );
    return reading.list;
  }

  /** With majority: what is rolled back was never stored. */
  async #find(): Promise<SubscriberList> {
    const options = {
      projection: { _id: 0, userId: 1, audience: 1, events: 1 },
      readConcern: { level: 'majority' },
    } as const;
    return new SubscriberList(await this.#destinations.find({ isActive: true }, options).toArray());
  }
}
