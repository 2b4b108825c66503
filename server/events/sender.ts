/**
 * Sends deliveries that are due. The attempts at once are bounded for a destination, for an owner and for the process, so
 * that one slow receiver does not delay the others.
 */
import { attemptsMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import type { ClaimedDelivery } from '../../models/webhook/deliveries.ts';
import type { Destination } from '../../models/webhook/destinations.ts';
import type { DestinationRecord } from '../../models/webhook/schema.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import type { DestinationKind, Outcome } from './destination-kind.ts';
import { dataFor } from './event-data.ts';
import type { WebhookConfig } from './settings.ts';
import { overflowReason } from './sweeps.ts';

/** Of one customer to one receiver, as one call may cause ten requests to a host that does not want them. */
const perReceiver: Window = { name: 'webhook-host', seconds: 1, max: 30 };

/** Destinations that are looked at together. */
const pageSize = 500;
const jitter = 0.1;

export interface SenderDeps {
  models: Models;
  clock: Clock;
  limiter: Limiter;
  /** Those that this process does not send are left to another one: mail without a server, webhooks without SECRETS_KEY. */
  kinds: Record<DestinationRecord['format'], DestinationKind | false | null>;
  settings: Pick<WebhookConfig, 'retryMs' | 'disableAfterMs'>;
  onAttempt: (outcome: string, isMail: boolean) => void;
}

interface Place extends Pick<DestinationRecord, '_id' | 'userId' | 'failingSince'> {
  kind: DestinationKind;
}

interface Target extends Destination {
  kind: DestinationKind;
  /** As it was read, with its address encrypted: what attempts find out is of this one. */
  stored: DestinationRecord;
}

export class Sender {
  readonly #deps: SenderDeps;
  readonly #onPlace: () => void;
  /** Attempts in progress, by destination and by owner. */
  readonly #inProgress = new Map<string | number, number>();
  readonly #attempts = new Set<Promise<void>>();
  #count = 0;
  #isStopped = false;
  /** Where the next look begins. */
  #after = '';
  /** Whether something was left because all places for it were taken. */
  #hasLeft = false;

  /** @param onPlace called when what was left may have a place */
  constructor(deps: SenderDeps, onPlace: () => void) {
    this.#deps = deps;
    this.#onPlace = onPlace;
  }

  /** Begins what is due, as far as there are places. */
  async sendDue(): Promise<void> {
    for (let looked = pageSize; looked === pageSize && this.#count < attemptsMax.process; ) {
      const page = { after: this.#after, limit: pageSize };
      const ids = await this.#deps.models.webhookDeliveries.listDestinationsDue(this.#now(), page);
      looked = ids.length;
      this.#after = looked === pageSize ? (ids.at(-1) ?? '') : '';
      await this.sendTo(ids);
    }
  }

  /** Begins what is due for these, one of each before a second of any; the attempts go on. */
  async sendTo(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const destinations = await this.#deps.models.webhooks.findMany(ids);
    await Promise.all(shuffled(destinations).map((each) => this.#sendToOne(each)));
  }

  /** Begins no more; resolves when no attempt is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#attempts);
  }

  async #sendToOne(stored: DestinationRecord): Promise<void> {
    const { isActive, pausedUntil } = stored;
    const kind = this.#deps.kinds[stored.format];
    // Mail that is off waits until it is on again.
    if (!kind || (!isActive && stored.format === 'mail') || (pausedUntil && pausedUntil > this.#now()))
      return;
    const place = { ...stored, kind };
    let destination: Target | null = null;
    const beginNext = async (): Promise<boolean> => {
      destination ??= await this.#openEntitled(stored, kind);
      const delivery = destination && (await this.#claim(destination));
      if (destination && delivery) this.#begin(destination, delivery);
      return delivery !== null;
    };
    // Its place comes first: while few are free, the rights of many destinations would be read for each.
    while (this.#take(place)) {
      const isBegun = await beginNext().catch((failure: unknown) => {
        this.#add(place, -1);
        throw failure;
      });
      if (!isBegun) return this.#add(place, -1);
    }
    this.#hasLeft = true;
  }

  /** Null where nothing may be sent there any more; what waits for it ends then. */
  async #openEntitled(stored: DestinationRecord, kind: DestinationKind): Promise<Target | null> {
    const { webhookDeliveries, webhooks, credentials } = this.#deps.models;
    const { _id, isActive, activeSince } = stored;
    const isEntitled = isActive && (await credentials.mayReceive(stored, this.#now()));
    const destination = isEntitled ? this.#open(stored, kind) : null;
    if (!isEntitled) await webhookDeliveries.failWaiting(_id, activeSince);
    else if (!destination) await webhooks.disable(_id, 'Its address cannot be decrypted', stored);
    return destination;
  }

  /** Null where the address cannot be decrypted. */
  #open(stored: DestinationRecord, kind: DestinationKind): Target | null {
    try {
      return { ...this.#deps.models.webhooks.open(stored), kind, stored };
    } catch {
      return null;
    }
  }

  /** Takes a place for an attempt; false where none is free. */
  #take(destination: Place): boolean {
    const { _id, userId, failingSince, kind } = destination;
    const places = failingSince ? Math.min(attemptsMax.failing, kind.attemptsMax) : kind.attemptsMax;
    const [ofDestination = 0, ofOwner = 0] = [this.#inProgress.get(_id), this.#inProgress.get(userId)];
    const isFree =
      !this.#isStopped &&
      ofDestination < places &&
      ofOwner < attemptsMax.owner &&
      this.#count < (ofOwner === 0 ? attemptsMax.process : attemptsMax.shared);
    if (isFree) this.#add(destination, 1);
    return isFree;
  }

  #add({ _id, userId }: Pick<Place, '_id' | 'userId'>, by: number): void {
    this.#count += by;
    for (const key of [_id, userId]) {
      const count = (this.#inProgress.get(key) ?? 0) + by;
      if (count > 0) this.#inProgress.set(key, count);
      else this.#inProgress.delete(key);
    }
  }

  /** Null where nothing may be sent now. */
  async #claim(destination: Target): Promise<ClaimedDelivery | null> {
    const { webhookDeliveries } = this.#deps.models;
    const { _id, activeSince } = destination;
    const delivery = await webhookDeliveries.claim(_id, this.#now());
    if (!delivery) return null;
    if (delivery.activeSince < activeSince) {
      await webhookDeliveries.failWaiting(_id, delivery.activeSince);
      return this.#claim(destination);
    }
    const admittedAt = await this.#whenAdmitted(destination);
    if (!admittedAt) return delivery;
    await webhookDeliveries.release(delivery, admittedAt);
    return null;
  }

  /** When the rate to the receiver admits one more; null: now. */
  async #whenAdmitted(destination: Target): Promise<Date | null> {
    const receiver = destination.kind.receiverOf(destination);
    if (receiver === null || destination.audience === 'host') return null;
    const key = `${destination.userId} ${receiver}`;
    const { fits, secondsLeft } = await this.#deps.limiter.consume(perReceiver, key, 1);
    return fits ? null : new Date(this.#deps.clock() + secondsLeft * 1000);
  }

  #begin(destination: Target, delivery: ClaimedDelivery): void {
    const attempt = this.#attempt(destination, delivery)
      .catch(() => {}) // stored nothing: the lease ends, and the delivery is tried again
      .finally(() => {
        this.#attempts.delete(attempt);
        this.#add(destination, -1);
        if (this.#hasLeft) this.#onPlace();
        this.#hasLeft = false;
      });
    this.#attempts.add(attempt);
  }

  async #attempt(destination: Target, delivery: ClaimedDelivery): Promise<void> {
    const { models, onAttempt, settings } = this.#deps;
    const event = await models.webhookEvents.find(delivery.eventId);
    const isSpent = delivery.begunCount > settings.retryMs.length + 1; // perhaps each attempt died
    if (!event) return models.webhookDeliveries.drop(delivery); // it is forgotten
    if (isSpent) return models.webhookDeliveries.fail(delivery);
    const at = this.#now();
    const data = dataFor(event, destination.audience);
    const { _id: id, attempts, isBegun: isInterrupted = false } = delivery;
    const before = { attemptsBefore: attempts.length, lastError: attempts.at(-1)?.error ?? null };
    if (destination.kind.isSentOnce) await models.webhookDeliveries.begin(delivery);
    const attempted = { id, destination, event, data, at, ...before, isInterrupted };
    const outcome = await destination.kind.attempt(attempted);
    if (!outcome) return models.webhookDeliveries.drop(delivery);
    if ('postponedMs' in outcome)
      return models.webhookDeliveries.release(delivery, new Date(at.getTime() + outcome.postponedMs));
    onAttempt(outcome.error ?? 'success', destination.stored.format === 'mail');
    await this.#store(destination, { delivery, outcome, at });
  }

  async #store({ stored }: Target, { delivery, outcome, at }: Attempted): Promise<void> {
    const { webhooks, webhookDeliveries } = this.#deps.models;
    const { retryAfterMs, restMs, isFinal, isOfDelivery, disabledReason, ...attempt } = outcome;
    const now = this.#now();
    if (restMs) await webhooks.pause(stored, new Date(now.getTime() + restMs));
    // Before the attempt is shown: the page reads the destination as soon as it is.
    const failures =
      outcome.error === null || isOfDelivery
        ? await webhooks.recordSuccess(stored, now)
        : await webhooks.recordFailure(stored, now);
    const retryAt = this.#retryTimeOf({ delivery, outcome, at: now });
    await webhookDeliveries.complete({ delivery, attempt: { ...attempt, at }, retryAt });
    if (!failures) return;
    const reason = disabledReason ?? (await this.#lastingReason(stored, { ...failures, at }));
    if (reason) await webhooks.disable(stored._id, reason, stored);
  }

  /** Null: never. */
  #retryTimeOf({ delivery, outcome, at }: Attempted): Date | null {
    const delayMs = this.#deps.settings.retryMs[delivery.attempts.length];
    if (delayMs === undefined || outcome.error === null || outcome.isFinal) return null;
    const spread = delayMs * (1 + jitter * Math.random());
    return new Date(at.getTime() + Math.max(spread, outcome.retryAfterMs ?? 0));
  }

  async #lastingReason(
    destination: DestinationRecord,
    { since, count, at }: { since: Date; count: number; at: Date },
  ): Promise<string | null> {
    const { models, settings } = this.#deps;
    if (destination.format === 'mail') return null; // its customers cannot turn it on again
    const hours = Math.round(settings.disableAfterMs / 3_600_000);
    if (count >= 3 && at.getTime() - since.getTime() >= settings.disableAfterMs)
      return `No delivery succeeded for ${hours === 1 ? '1 hour' : `${hours} hours`}`;
    // Counting is not for every failure.
    return count % 100 === 0 ? overflowReason(models, destination) : null;
  }

  #now(): Date {
    return new Date(this.#deps.clock());
  }
}

interface Attempted {
  delivery: ClaimedDelivery;
  outcome: Outcome;
  at: Date;
}

/** So that none comes first each time. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
