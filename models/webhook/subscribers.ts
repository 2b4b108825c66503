/**
 * Who subscribes to what, kept in the memory of each process and at most a second old, so that a write queries no database
 * whether anybody gets its events. A change made in this process counts at once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession, Connection } from 'mongoose';
import type { EventType, Subscription } from './event-types.ts';
import { type Audience, type SubscriberRecord, subscriberSchema } from './schema.ts';
import type { State } from './state.ts';

const freshMs = 1000;
/** A timer may end a little early. */
const timerToleranceMs = 10;

/** The customer an event concerns; null: all customers. */
export type Concerned = number | null;

export class Subscribers {
  readonly #model;
  readonly #state: State;
  readonly #isShared: boolean;
  readonly #typesOf = new Map<string, readonly Subscription[]>();
  /** How many subscribers of an audience want a type. */
  readonly #counts: Record<Audience, Map<Subscription, number>> = { customer: new Map(), host: new Map() };
  #seen = 0;
  /** Raised with each change made in this process. */
  #generation = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #refreshing: { startedAt: number; read: Promise<void> } | null = null;

  /** @param isShared whether other processes may serve on this database */
  constructor(connection: Connection, state: State, { isShared = false }: { isShared?: boolean }) {
    this.#model = connection.model('WebhookSubscriber', subscriberSchema, 'webhook_subscribers');
    this.#state = state;
    this.#isShared = isShared;
  }

  /** Null where the list is fresh; otherwise resolves when it is. */
  refresh(): Promise<void> | null {
    const now = performance.now();
    if (now - this.#checkedAt < freshMs) return null;
    // What a slow read finds may be as old as its start.
    const { startedAt = Number.NEGATIVE_INFINITY, read } = this.#refreshing ?? {};
    return read && now - startedAt < freshMs ? read : this.#beginRead(now);
  }

  #beginRead(startedAt: number): Promise<void> {
    const read = this.#read(startedAt).finally(() => {
      if (this.#refreshing?.read === read) this.#refreshing = null;
    });
    this.#refreshing = { startedAt, read };
    return read;
  }

  /** Resolves when every process that serves on this database knows of what is stored now. */
  async settle(): Promise<void> {
    if (this.#isShared) await delay(freshMs + timerToleranceMs);
  }

  /** Whether an endpoint of this audience gets an event of the type, as the list is now. */
  has(audience: Audience, type: EventType, concerned: Concerned): boolean {
    if (audience === 'host' || concerned === null) {
      const counts = this.#counts[audience];
      return (counts.get('*') ?? 0) > 0 || (type !== 'webhook.test' && (counts.get(type) ?? 0) > 0);
    }
    const types = this.#typesOf.get(idOf('customer', concerned)) ?? [];
    return types.includes('*') || types.some((wanted) => wanted === type);
  }

  /** The customers who get events of a type; null: everybody's are wanted by the host. */
  listConcerned(type: EventType): number[] | null {
    if (this.has('host', type, null)) return null;
    const prefix = idOf('customer', '');
    return [...this.#typesOf.keys()]
      .filter((id) => id.startsWith(prefix))
      .map((id) => Number(id.slice(prefix.length)))
      .filter((userId) => this.has('customer', type, userId));
  }

  /** Stores what a user subscribes to, as part of the transaction that changes it. */
  async put(
    { userId, audience, types }: Pick<SubscriberRecord, 'userId' | 'audience' | 'types'>,
    session: ClientSession,
  ): Promise<void> {
    const _id = idOf(audience, userId);
    const stored = await this.#model.findById(_id).session(session).lean();
    // Counted changes conflict with those of everybody, in all processes.
    if (isSame(stored?.types ?? [], types)) return;
    const change = await this.#state.countChange(session);
    await this.#model.replaceOne({ _id }, { userId, audience, types, change }, { upsert: true, session });
  }

  /** The next question reads the list, even while a read is in progress: that one may have begun before the change. */
  expire(): void {
    this.#generation += 1;
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    this.#refreshing = null;
  }

  /**
   * Changes are numbered in the order of their transactions, so none is missed; with majority, as a change that is rolled
   * back leaves its number to another.
   */
  async #read(startedAt: number): Promise<void> {
    const generation = this.#generation;
    const changed = await this.#model
      .find({ change: { $gt: this.#seen } })
      .sort({ change: 1 })
      .readConcern('majority')
      .lean();
    // A read that began later may have ended first: what it applied is as new or newer.
    for (const subscriber of changed) if (subscriber.change > this.#seen) this.#apply(subscriber);
    if (generation === this.#generation) this.#checkedAt = startedAt;
  }

  #apply({ _id, audience, types, change }: SubscriberRecord): void {
    const counts = this.#counts[audience];
    for (const type of this.#typesOf.get(_id) ?? []) counts.set(type, (counts.get(type) ?? 0) - 1);
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
    if (types.length > 0) this.#typesOf.set(_id, types);
    else this.#typesOf.delete(_id);
    this.#seen = change;
  }
}

const idOf = (audience: Audience, userId: number | '') => `${audience}:${userId}`;

const isSame = (one: readonly Subscription[], other: readonly Subscription[]) =>
  one.length === other.length && one.every((type) => other.includes(type));
