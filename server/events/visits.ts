/**
 * Visits to endpoints that have something due: each claims a few deliveries and tries them. The attempts at once are bounded
 * for an endpoint, for an owner and for the process, so that one slow receiver does not delay the others.
 */
import { isIP } from 'node:net';
import type { ClaimedDelivery } from '../../models/webhook/deliveries.ts';
import type { Visit } from '../../models/webhook/schedule.ts';
import type { DeliveryRecord, EndpointRecord } from '../../models/webhook/schema.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import { meantAddress } from '../public-address.ts';
import { type DeliverDeps, deliver } from './deliver.ts';
import { isEntitled } from './fan-out.ts';

/** Discord takes five messages in two seconds. Beyond `shared`, an owner with none in progress gets one. */
const attemptsMax = { process: 200, shared: 180, owner: 16, endpoint: 8, failing: 2, discord: 2 };

/** Of one customer to one host, as one call may cause ten requests to a host that does not want them. */
const perHost: Window = { name: 'webhook-host', seconds: 1, max: 30 };

/** An endpoint whose owner has enough in progress is visited again after this time. */
const pauseMs = 200;

export interface VisitDeps extends DeliverDeps {
  limiter: Limiter;
}

export class Visits {
  readonly #deps: VisitDeps;
  readonly #onMore: () => void;
  readonly #ofOwner = new Map<number, number>();
  readonly #ofEndpoint = new Map<string, number>();
  readonly #attempts = new Set<Promise<void>>();
  #atWork = 0;

  /** @param onMore called when there may be more to do */
  constructor(deps: VisitDeps, onMore: () => void) {
    this.#deps = deps;
    this.#onMore = onMore;
  }

  get hasRoom(): boolean {
    return this.#atWork < attemptsMax.process;
  }

  /** Endpoints that have as many attempts in progress as they may. */
  get full(): string[] {
    return [...this.#ofEndpoint].flatMap(([id, count]) => (count >= attemptsMax.endpoint ? id : []));
  }

  /** Resolves when what the endpoint has due is claimed; the attempts go on. */
  async begin(id: string): Promise<void> {
    const { models, clock } = this.#deps;
    const now = new Date(clock());
    const visit = await models.webhookSchedule.visit(id, now);
    if (!visit) return;
    const { endpoint } = visit;
    const { pausedUntil } = endpoint;
    if (pausedUntil && pausedUntil > now) return models.webhookSchedule.leave(visit, pausedUntil);
    if (!endpoint.isActive || !(await isEntitled({ models, now }, endpoint))) {
      await models.webhookDeliveries.dropBefore(id, endpoint.epoch + 1);
      await models.webhookSchedule.leave(visit, null);
      return;
    }
    const free = this.#freeFor(endpoint);
    if (free > 0) await this.#work(visit, free);
    else await models.webhookSchedule.leave(visit, new Date(clock() + pauseMs));
  }

  /** Takes all that is free first: other visits to what the owner has go on at the same time. */
  async #work(visit: Visit, free: number): Promise<void> {
    let begun = 0;
    this.#count(visit.endpoint, free);
    try {
      begun = await this.#claim(visit, free);
    } finally {
      this.#count(visit.endpoint, begun - free);
    }
  }

  /** Resolves when no attempt is in progress. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#attempts);
  }

  #freeFor({ _id, userId, format, failingSince }: EndpointRecord): number {
    const ofStandard = failingSince ? attemptsMax.failing : attemptsMax.endpoint;
    const ofEndpoint = format === 'discord' ? attemptsMax.discord : ofStandard;
    const ofOwner = this.#ofOwner.get(userId) ?? 0;
    return Math.min(
      ofEndpoint - (this.#ofEndpoint.get(_id) ?? 0),
      attemptsMax.owner - ofOwner,
      attemptsMax.process - this.#atWork,
      Math.max(attemptsMax.shared - this.#atWork, ofOwner === 0 ? 1 : 0),
    );
  }

  /** Resolves to how many attempts are in progress then. */
  async #claim(visit: Visit, free: number): Promise<number> {
    const { models, clock } = this.#deps;
    const { endpoint } = visit;
    const now = new Date(clock());
    const waiting = await models.webhookDeliveries.listWaiting(endpoint._id, free + 1);
    const [stale, current] = split(waiting, ({ epoch }) => epoch < endpoint.epoch);
    await models.webhookDeliveries.drop(stale.map(({ _id }) => _id));
    const due = current.filter(({ dueAt }) => dueAt && dueAt <= now).slice(0, free);
    const { admitted, resumeAt } = await this.#admit(endpoint, due);
    const next = resumeAt ?? current[due.length]?.dueAt ?? (waiting.length > free ? now : null);
    const claimed = admitted.length > 0 ? await models.webhookDeliveries.claim(admitted, now) : [];
    if (next || claimed.length === 0)
      await models.webhookSchedule.leave(visit, next && new Date(Math.max(next.getTime(), now.getTime())));
    if (claimed.length > 0) await this.#tryAll(visit, claimed, next === null);
    return claimed.length;
  }

  /** As many as the rate to the host admits, and when it admits more; null: now. */
  async #admit(endpoint: EndpointRecord, due: DeliveryRecord[]) {
    const { models, limiter, clock } = this.#deps;
    if (endpoint.audience === 'host') return { admitted: due, resumeAt: null };
    const { hostname } = new URL(models.webhooks.open(endpoint).url);
    const key = `${endpoint.userId} ${hostOf(hostname)}`;
    const counts = await Promise.all(due.map(() => limiter.consume(perHost, key, 1)));
    const full = counts.find(({ fits }) => !fits);
    return {
      admitted: due.filter((_, index) => counts[index]?.fits),
      resumeAt: full ? new Date(clock() + full.secondsLeft * 1000) : null,
    };
  }

  async #tryAll(visit: Visit, claimed: ClaimedDelivery[], isLast: boolean): Promise<void> {
    const { models } = this.#deps;
    const events = await models.webhookEvents.findMany(claimed.map(({ eventId }) => eventId));
    const endpoint = models.webhooks.open(visit.endpoint);
    const tries = claimed.map(async (delivery) => {
      const event = events.get(delivery.eventId);
      if (event) return deliver(this.#deps, { endpoint, delivery, event });
      await models.webhookDeliveries.drop([delivery._id]);
      return null;
    });
    for (const attempt of tries) this.#follow(visit.endpoint, attempt);
    void this.#leave(visit, tries, isLast).catch(() => {}); // the lease ends, and a sweep wakes the endpoint
  }

  async #leave(visit: Visit, tries: Promise<Date | null>[], isLast: boolean): Promise<void> {
    const { webhookSchedule } = this.#deps.models;
    const { _id } = visit.endpoint;
    const outcomes = await Promise.allSettled(tries);
    const retries = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' && outcome.value ? outcome.value.getTime() : [],
    );
    if (retries.length > 0) await webhookSchedule.wake([_id], new Date(Math.min(...retries)));
    else if (isLast && outcomes.every(({ status }) => status === 'fulfilled'))
      await webhookSchedule.leave(visit, null);
    this.#onMore();
  }

  #follow(endpoint: EndpointRecord, attempt: Promise<unknown>): void {
    const followed = attempt
      .then(() => {})
      .catch(() => {}) // stored nothing: the lease ends, and the delivery is tried again
      .finally(() => {
        this.#count(endpoint, -1);
        this.#attempts.delete(followed);
      });
    this.#attempts.add(followed);
  }

  #count({ _id, userId }: EndpointRecord, by: number): void {
    add(this.#ofEndpoint, _id, by);
    add(this.#ofOwner, userId, by);
    this.#atWork += by;
  }
}

function add<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** One name for all spellings of a host. */
function hostOf(hostname: string): string {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  return isIP(host) === 0 ? host : meantAddress(host);
}
