/**
 * Sends deliveries: those that this process creates, and others that are due. Concurrent attempts are bounded per
 * destination, per owner and per process, so that one slow receiver does not delay the others.
 */
import { concurrentAttemptsMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import { type ClaimedDelivery, newClaimed, newDelivery } from '../../models/outbox/deliveries.ts';
import type { Audience, DestinationRecord, EventRecord } from '../../models/outbox/schema.ts';
import type { DecryptedDestination } from '../../models/outbox/webhooks.ts';
import { hourMs } from '../../models/support/durations.ts';
import { Queue } from '../../models/support/queue.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import type { Log } from '../observability/log.ts';
import { canonicalHost } from '../outbound/addresses.ts';
import type { AttemptOutcome, DestinationKind } from './destination-kind.ts';
import type { WebhookConfig } from './settings.ts';
import { overflowReason } from './sweeps.ts';

/** Protects hosts that do not want our requests: one call of a customer may cause ten of them. */
export const perReceiver: Window = { name: 'webhook-host', seconds: 1, max: 30 };

const pageSize = 500;
const jitter = 0.1;

export interface SenderDeps {
  models: Models;
  clock: Clock;
  limiter: Limiter;
  log: Log;
  /** A falsy kind is left to other processes: mail without a mail server, or webhooks without SECRETS_KEY. */
  kinds: Record<DestinationRecord['format'], DestinationKind | false | null>;
  settings: Pick<WebhookConfig, 'retryMs' | 'disableAfterMs'>;
  onAttempt: (outcome: string, isMail: boolean) => void;
}

/** The destination's address is still encrypted. */
interface DeliveryJob {
  event: EventRecord;
  destination: DestinationRecord;
  delivery: ClaimedDelivery;
}

export class Sender {
  readonly #deps: SenderDeps;
  readonly #onPlaceFree: () => void;
  readonly #attempts = new Set<Promise<void>>();
  readonly #places = new Queue<DestinationRecord>({
    runningMax: concurrentAttemptsMax.process,
    mayRunWith: (running, destination) => this.#mayRunWith(running, destination),
  });
  #isStopped = false;
  #after = '';
  #hasUnplaced = false;

  constructor(deps: SenderDeps, onPlaceFree: () => void) {
    this.#deps = deps;
    this.#onPlaceFree = onPlaceFree;
  }

  async deliver(jobs: readonly Omit<DeliveryJob, 'delivery'>[]): Promise<void> {
    const now = this.#now();
    const areTaken = jobs.map(({ destination }) => this.#take(destination));
    const deliveries = jobs.map(({ event, destination }, index) =>
      (areTaken[index] ? newClaimed : newDelivery)(event, destination, now),
    );
    let areNew: boolean[] = [];
    try {
      areNew = await this.#deps.models.deliveries.addAll(deliveries);
    } finally {
      for (const [index, job] of jobs.entries())
        if (areTaken[index] && areNew[index])
          this.#begin({ ...job, delivery: deliveries[index] as ClaimedDelivery });
        else if (areTaken[index]) this.#places.release(job.destination);
    }
  }

  /** Starts one delivery for every destination before a second one for any. */
  async sendDue(): Promise<void> {
    const { deliveries, destinations } = this.#deps.models;
    const { running } = this.#places;
    for (let looked = pageSize; looked === pageSize && running.length < concurrentAttemptsMax.process; ) {
      const page = { after: this.#after, limit: pageSize };
      const ids = await deliveries.listDestinationsDue(this.#now(), page);
      looked = ids.length;
      this.#after = looked === pageSize ? (ids.at(-1) ?? '') : '';
      const found = ids.length > 0 ? await destinations.findMany(ids) : [];
      await Promise.all(shuffled(found).map((each) => this.#sendWaiting(each)));
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#attempts);
  }

  async #sendWaiting(destination: DestinationRecord): Promise<void> {
    while (this.#take(destination)) {
      let job: DeliveryJob | null = null;
      try {
        job = await this.#claim(destination);
      } finally {
        if (!job) this.#places.release(destination);
      }
      if (!job) return;
      this.#begin(job);
    }
  }

  async #claim(destination: DestinationRecord): Promise<DeliveryJob | null> {
    const { deliveries, events } = this.#deps.models;
    const delivery = await deliveries.claim(destination._id, this.#now());
    if (!delivery) return null;
    const event = await events.find(delivery.eventId);
    if (event) return { event, destination, delivery };
    await deliveries.deleteClaimed(delivery); // its event was deleted
    return this.#claim(destination);
  }

  #take(destination: DestinationRecord): boolean {
    const { format, isActive, pausedUntil } = destination;
    // While mail is turned off, its deliveries wait.
    const isAsleep = (format === 'mail' && !isActive) || (pausedUntil && pausedUntil > this.#now());
    if (!this.#deps.kinds[format] || isAsleep || this.#isStopped) return false;
    const isFree = this.#places.tryAcquire(destination);
    if (!isFree) this.#hasUnplaced = true;
    return isFree;
  }

  #mayRunWith(
    running: readonly DestinationRecord[],
    { _id, userId, format, failingSince }: DestinationRecord,
  ): boolean {
    const kind = this.#deps.kinds[format];
    const kindMax = kind ? kind.attemptsMax : 0;
    const ofOwner = running.filter((other) => other.userId === userId).length;
    const ofDestination = running.filter((other) => other._id === _id).length;
    return (
      ofDestination < (failingSince ? Math.min(concurrentAttemptsMax.failing, kindMax) : kindMax) &&
      ofOwner < concurrentAttemptsMax.owner &&
      (ofOwner === 0 || running.length < concurrentAttemptsMax.shared)
    );
  }

  #begin(job: DeliveryJob): void {
    const attempt = this.#attempt(job)
      .catch((failure) => this.#reportFailure(failure, job))
      .finally(() => {
        this.#attempts.delete(attempt);
        this.#places.release(job.destination);
        if (this.#hasUnplaced) this.#onPlaceFree();
        this.#hasUnplaced = false;
      });
    this.#attempts.add(attempt);
  }

  #reportFailure(failure: unknown, { event, destination, delivery }: DeliveryJob): void {
    const about = { deliveryId: delivery._id, type: event.type, destination: destination._id };
    const message = 'webhooks: an attempt failed on our side; it will be retried';
    this.#deps.log.error({ err: failure, ...about }, message);
    this.#deps.onAttempt('internal', destination.format === 'mail');
  }

  async #attempt(job: DeliveryJob): Promise<void> {
    const { kinds, models, onAttempt } = this.#deps;
    const { event, destination: stored, delivery } = job;
    const kind = kinds[stored.format];
    if (!kind || this.#isStopped) return models.deliveries.release(delivery, this.#now());
    const destination = await this.#openEntitled(job);
    if (!destination) return;
    const admittedAt = await this.#findRateLimitEnd(destination);
    if (admittedAt) {
      await models.destinations.pause(stored, admittedAt);
      return models.deliveries.release(delivery, admittedAt);
    }
    const at = this.#now();
    const eventForAudience = { ...event, data: dataFor(event, destination.audience) };
    const outcome = await kind.attempt({ delivery, destination, event: eventForAudience, at });
    if (!outcome) return models.deliveries.deleteClaimed(delivery);
    if ('postponedMs' in outcome)
      return models.deliveries.release(delivery, new Date(at.getTime() + outcome.postponedMs));
    onAttempt(outcome.error ?? 'success', stored.format === 'mail');
    await this.#store(stored, { delivery, outcome, at });
  }

  /** Resolves to null if the destination may no longer get this delivery, and ends all that it may no longer get. */
  async #openEntitled({ destination, delivery }: DeliveryJob): Promise<DecryptedDestination | null> {
    const { deliveries, webhooks, credentials } = this.#deps.models;
    const { _id, isActive, activeSince } = destination;
    const isEarlier = delivery.activeSince < activeSince;
    const isEntitled = isActive && (await credentials.mayReceive(destination, this.#now()));
    if (!isEntitled || isEarlier) {
      if (delivery.attempts.length === 0) await deliveries.deleteClaimed(delivery);
      await deliveries.failWaiting(_id, isEntitled ? delivery.activeSince : activeSince);
      return null;
    }
    try {
      return webhooks.decryptAddress(destination);
    } catch {
      await webhooks.disable(_id, 'Its address cannot be decrypted', destination);
      return null;
    }
  }

  async #findRateLimitEnd({ audience, format, userId, url }: DecryptedDestination): Promise<Date | null> {
    if (audience === 'host' || format === 'mail') return null;
    const key = `${userId} ${canonicalHost(url)}`;
    const { fits, secondsLeft } = await this.#deps.limiter.consume(perReceiver, key, 1);
    return fits ? null : new Date(this.#deps.clock() + secondsLeft * 1000);
  }

  async #store(stored: DestinationRecord, { delivery, outcome, at }: FinishedAttempt): Promise<void> {
    const { webhooks, destinations, deliveries } = this.#deps.models;
    const { retryAfterMs, destinationPauseMs, isFinal, isDestinationWorking, disabledReason, ...attempt } =
      outcome;
    const now = this.#now();
    if (destinationPauseMs) await destinations.pause(stored, new Date(now.getTime() + destinationPauseMs));
    // The destination is stored before the attempt, because the page reads the destination as soon as the attempt is stored.
    const failures =
      outcome.error === null || isDestinationWorking
        ? await destinations.recordSuccess(stored, now)
        : await destinations.recordFailure(stored, now);
    const retryAt = this.#retryTimeOf({ delivery, outcome, at: now });
    await deliveries.complete({ delivery, attempt: { ...attempt, at }, retryAt });
    if (!failures) return;
    const reason = disabledReason ?? (await this.#findDisableReason(stored, { ...failures, at }));
    if (reason) await webhooks.disable(stored._id, reason, stored);
  }

  #retryTimeOf({ delivery, outcome, at }: FinishedAttempt): Date | null {
    const delayMs = this.#deps.settings.retryMs[delivery.attempts.length];
    if (delayMs === undefined || outcome.error === null || outcome.isFinal) return null;
    const spread = delayMs * (1 + jitter * Math.random());
    return new Date(at.getTime() + Math.max(spread, outcome.retryAfterMs ?? 0));
  }

  async #findDisableReason(
    destination: DestinationRecord,
    { since, count, at }: { since: Date; count: number; at: Date },
  ): Promise<string | null> {
    const { models, settings } = this.#deps;
    if (destination.format === 'mail') return null; // customers could not turn it on again
    const hours = Math.round(settings.disableAfterMs / hourMs);
    if (count >= 3 && at.getTime() - since.getTime() >= settings.disableAfterMs)
      return `No delivery succeeded for ${hours === 1 ? '1 hour' : `${hours} hours`}`;
    // Counting the backlog at every failure would cost too much.
    return count % 100 === 0 ? overflowReason(models, destination) : null;
  }

  #now(): Date {
    return new Date(this.#deps.clock());
  }
}

interface FinishedAttempt {
  delivery: ClaimedDelivery;
  outcome: AttemptOutcome;
  at: Date;
}

/** Events for the host's destinations include the user. */
function dataFor({ data, user }: EventRecord, audience: Audience): Record<string, unknown> {
  if (audience === 'customer' || !user) return { ...data };
  const { id, email, externalId, nickname } = user;
  const ticket = 'ticket' in data && {
    ticket: { ...(data.ticket as object), user: { id, email, nickname } },
  };
  return { ...data, ...ticket, user: { id, email, external_id: externalId } };
}

/** Random order, so that no destination is always first. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
