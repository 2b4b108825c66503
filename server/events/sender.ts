/**
 * Sends deliveries: those that this process makes at once, and others that are due. The attempts at once are bounded for a
 * destination, for an owner and for the process, so that one slow receiver does not delay the others.
 */
import { attemptsMax } from '../../models/bounds.ts';
import type { Models } from '../../models/index.ts';
import { type ClaimedDelivery, newClaimed, newDelivery } from '../../models/webhook/deliveries.ts';
import type { Destination } from '../../models/webhook/destinations.ts';
import type { DestinationRecord, EventRecord } from '../../models/webhook/schema.ts';
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

/** All that an attempt needs, each read once; the address is still encrypted. */
interface Piece {
  event: EventRecord;
  destination: DestinationRecord;
  delivery: ClaimedDelivery;
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

  /** Stores a delivery for each, and begins those for which there is a place. */
  async deliver(pieces: readonly Omit<Piece, 'delivery'>[]): Promise<void> {
    const now = this.#now();
    const begun = pieces.map(({ event, destination }) => {
      const isTaken = this.#take(destination);
      const delivery = (isTaken ? newClaimed : newDelivery)(event, destination, now);
      return { event, destination, delivery, isTaken };
    });
    const { webhookDeliveries } = this.#deps.models;
    const areNew = await webhookDeliveries.addAll(begun.map(({ delivery }) => delivery)).catch((failure) => {
      for (const { destination, isTaken } of begun) if (isTaken) this.#add(destination, -1);
      throw failure;
    });
    for (const [index, { isTaken, ...piece }] of begun.entries())
      if (isTaken && areNew[index]) this.#begin(piece as Piece);
      else if (isTaken) this.#add(piece.destination, -1);
  }

  /** Begins what is due, as far as there are places, one of each destination before a second of any. */
  async sendDue(): Promise<void> {
    const { webhookDeliveries, webhooks } = this.#deps.models;
    for (let looked = pageSize; looked === pageSize && this.#count < attemptsMax.process; ) {
      const page = { after: this.#after, limit: pageSize };
      const ids = await webhookDeliveries.listDestinationsDue(this.#now(), page);
      looked = ids.length;
      this.#after = looked === pageSize ? (ids.at(-1) ?? '') : '';
      const destinations = ids.length > 0 ? await webhooks.findMany(ids) : [];
      await Promise.all(shuffled(destinations).map((each) => this.#sendWaiting(each)));
    }
  }

  /** Begins no more; resolves when no attempt is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#attempts);
  }

  async #sendWaiting(destination: DestinationRecord): Promise<void> {
    while (this.#take(destination)) {
      const piece = await this.#claim(destination).catch((failure: unknown) => {
        this.#add(destination, -1);
        throw failure;
      });
      if (!piece) return this.#add(destination, -1);
      this.#begin(piece);
    }
  }

  async #claim(destination: DestinationRecord): Promise<Piece | null> {
    const { webhookDeliveries, webhookEvents } = this.#deps.models;
    const delivery = await webhookDeliveries.claim(destination._id, this.#now());
    if (!delivery) return null;
    const event = await webhookEvents.find(delivery.eventId);
    if (event) return { event, destination, delivery };
    await webhookDeliveries.drop(delivery); // it is forgotten
    return this.#claim(destination);
  }

  /** Takes a place for an attempt; false where none is free, or nothing is to be sent there now. */
  #take(destination: DestinationRecord): boolean {
    const { _id, userId, format, isActive, failingSince, pausedUntil } = destination;
    const kind = this.#deps.kinds[format];
    // Mail that is off waits until it is on again.
    const isAsleep = (format === 'mail' && !isActive) || (pausedUntil && pausedUntil > this.#now());
    if (!kind || isAsleep || this.#isStopped) return false;
    const places = failingSince ? Math.min(attemptsMax.failing, kind.attemptsMax) : kind.attemptsMax;
    const [ofDestination = 0, ofOwner = 0] = [this.#inProgress.get(_id), this.#inProgress.get(userId)];
    const isFree =
      ofDestination < places &&
      ofOwner < attemptsMax.owner &&
      this.#count < (ofOwner === 0 ? attemptsMax.process : attemptsMax.shared);
    if (isFree) this.#add(destination, 1);
    else this.#hasLeft = true;
    return isFree;
  }

  #add({ _id, userId }: DestinationRecord, by: number): void {
    this.#count += by;
    for (const key of [_id, userId]) {
      const count = (this.#inProgress.get(key) ?? 0) + by;
      if (count > 0) this.#inProgress.set(key, count);
      else this.#inProgress.delete(key);
    }
  }

  #begin(piece: Piece): void {
    const { webhookDeliveries } = this.#deps.models;
    const begun = this.#isStopped
      ? webhookDeliveries.release(piece.delivery, this.#now())
      : this.#attempt(piece);
    const attempt = begun
      .catch(() => {}) // stored nothing: the lease ends, and the delivery is tried again
      .finally(() => {
        this.#attempts.delete(attempt);
        this.#add(piece.destination, -1);
        if (this.#hasLeft) this.#onPlace();
        this.#hasLeft = false;
      });
    this.#attempts.add(attempt);
  }

  async #attempt(piece: Piece): Promise<void> {
    const { webhookDeliveries } = this.#deps.models;
    const { event, destination: stored, delivery } = piece;
    const destination = await this.#openEntitled(piece);
    if (!destination) return;
    const kind = this.#deps.kinds[stored.format];
    // Perhaps each attempt died.
    if (!kind || delivery.begunCount > this.#deps.settings.retryMs.length + 1)
      return webhookDeliveries.fail(delivery);
    const admittedAt = await this.#whenAdmitted(kind, destination);
    if (admittedAt) {
      await this.#deps.models.webhooks.pause(stored, admittedAt);
      return webhookDeliveries.release(delivery, admittedAt);
    }
    const at = this.#now();
    const data = dataFor(event, destination.audience);
    const { _id: id, attempts, isBegun: isInterrupted = false } = delivery;
    const before = { attemptsBefore: attempts.length, lastError: attempts.at(-1)?.error ?? null };
    if (kind.isSentOnce) await webhookDeliveries.begin(delivery);
    const outcome = await kind.attempt({ id, destination, event, data, at, ...before, isInterrupted });
    if (!outcome) return webhookDeliveries.drop(delivery);
    if ('postponedMs' in outcome)
      return webhookDeliveries.release(delivery, new Date(at.getTime() + outcome.postponedMs));
    this.#deps.onAttempt(outcome.error ?? 'success', stored.format === 'mail');
    await this.#store(stored, { delivery, outcome, at });
  }

  /** With its address. Null where nothing may be sent there any more, or not this: what waits for it ends then. */
  async #openEntitled({ destination, delivery }: Piece): Promise<Destination | null> {
    const { webhookDeliveries, webhooks, credentials } = this.#deps.models;
    const { _id, isActive, activeSince } = destination;
    const isEarlier = delivery.activeSince < activeSince;
    const isEntitled = isActive && (await credentials.mayReceive(destination, this.#now()));
    if (!isEntitled || isEarlier) {
      if (delivery.attempts.length === 0) await webhookDeliveries.drop(delivery);
      await webhookDeliveries.failWaiting(_id, isEntitled ? delivery.activeSince : activeSince);
      return null;
    }
    try {
      return webhooks.open(destination);
    } catch {
      await webhooks.disable(_id, 'Its address cannot be decrypted', destination);
      return null;
    }
  }

  /** When the rate to the receiver admits one more; null: now. */
  async #whenAdmitted({ receiverOf }: DestinationKind, destination: Destination): Promise<Date | null> {
    const receiver = receiverOf(destination);
    if (receiver === null || destination.audience === 'host') return null;
    const key = `${destination.userId} ${receiver}`;
    const { fits, secondsLeft } = await this.#deps.limiter.consume(perReceiver, key, 1);
    return fits ? null : new Date(this.#deps.clock() + secondsLeft * 1000);
  }

  async #store(stored: DestinationRecord, { delivery, outcome, at }: Attempted): Promise<void> {
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
