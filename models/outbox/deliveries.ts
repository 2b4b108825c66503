/**
 * Deliveries: one for each event and each destination that gets it. A claim is a conditional update that gives the delivery a
 * new lease, so only one of two processes gets it. A delivery whose process died is due again when its lease ends.
 */
import { hash, randomUUID } from 'node:crypto';
import type { ClientSession, Connection, mongo } from 'mongoose';
import { createBatcher } from '../support/batcher.ts';
import { matchAfter } from '../support/pages.ts';
import { insertMissing, updateAll } from '../support/writes.ts';
import type { EventType } from './event-types.ts';
import {
  type AttemptRecord,
  type DeliveryRecord,
  type DeliveryStatus,
  type DestinationRecord,
  defineDeliveries,
  type EventRecord,
  mailIds,
} from './schema.ts';

/** Longer than any attempt takes. */
const leaseMs = 45_000;

interface DeliveryPage {
  status?: DeliveryStatus | undefined;
  before?: string | undefined;
  limit: number;
}

export type ClaimedDelivery = DeliveryRecord & { lease: string };

interface DeliveryResult {
  delivery: ClaimedDelivery;
  attempt: AttemptRecord;
  /** When to retry; null: never. */
  retryAt: Date | null;
}

export class Deliveries {
  readonly #collection: mongo.Collection<DeliveryRecord>;
  /** Does nothing when another process has claimed the delivery since. */
  readonly complete: (result: DeliveryResult) => Promise<null>;

  constructor(connection: Connection) {
    this.#collection = defineDeliveries(connection);
    this.complete = createBatcher(async (results) => {
      await updateAll(this.#collection, results.map(toCompletion));
      return results.map(() => null);
    });
  }

  /** Does not change deliveries that an earlier fan-out stored. Resolves to whether each is new. */
  async addAll(deliveries: readonly DeliveryRecord[], transaction?: ClientSession): Promise<boolean[]> {
    const known = await insertMissing(this.#collection, deliveries, transaction);
    return deliveries.map((_, index) => !known.has(index));
  }

  async claim(destinationId: string, now: Date): Promise<ClaimedDelivery | null> {
    const lease = randomUUID();
    const claimed = await this.#collection.findOneAndUpdate(
      { endpointId: destinationId, dueAt: { $lte: now } },
      { $set: { dueAt: new Date(now.getTime() + leaseMs), lease } },
      { sort: { dueAt: 1 }, returnDocument: 'after' },
    );
    return claimed && { ...claimed, lease };
  }

  async release({ _id, lease }: ClaimedDelivery, dueAt: Date): Promise<void> {
    await this.#collection.updateOne({ _id, lease }, { $set: { dueAt }, $unset: { lease: 1 as const } });
  }

  /** Deletes a claimed delivery that no longer has a recipient. */
  async deleteClaimed({ _id, lease }: ClaimedDelivery): Promise<void> {
    await this.#collection.deleteOne({ _id, lease });
  }

  /** Fails waiting deliveries, of one type or of all, whose `activeSince` is not later than `upTo`. */
  async failWaiting(destinationId: string, upTo: Date, type?: EventType): Promise<void> {
    const isEarlier = { $not: { $gt: upTo } };
    await this.#collection.updateMany(
      { endpointId: destinationId, dueAt: { $exists: true }, activeSince: isEarlier, ...(type && { type }) },
      { $set: { status: 'failed' }, $unset: { dueAt: 1, lease: 1 } },
    );
  }

  async removeOf(destinationId: string): Promise<void> {
    await this.#collection.deleteMany({ endpointId: destinationId });
  }

  find(destinationId: string, id: string): Promise<DeliveryRecord | null> {
    return this.#collection.findOne({ _id: id, endpointId: destinationId });
  }

  countWaiting(destinationId: string, limit: number): Promise<number> {
    const waiting = { endpointId: destinationId, dueAt: { $exists: true } };
    return this.#collection.countDocuments(waiting, { limit });
  }

  countWaitingMail(limit: number): Promise<number> {
    const waiting = { endpointId: { $in: Object.values(mailIds) }, dueAt: { $exists: true } };
    return this.#collection.countDocuments(waiting, { limit });
  }

  async list(destinationId: string, { status, before, limit }: DeliveryPage): Promise<DeliveryRecord[]> {
    const last = before === undefined ? null : await this.find(destinationId, before);
    if (before !== undefined && !last) return [];
    const sort = { createdAt: -1, _id: -1 } as const;
    const filter = {
      endpointId: destinationId,
      ...(status && { status }),
      ...(last && matchAfter<'createdAt' | '_id'>(sort, last)),
    };
    return this.#collection.find(filter, { sort, limit }).toArray();
  }

  async listDestinationsDue(by: Date, { after, limit }: { after: string; limit: number }): Promise<string[]> {
    // Reads one index entry per destination, however many deliveries wait for it.
    const due = this.#collection.aggregate<{ _id: string }>([
      { $match: { endpointId: { $gt: after }, dueAt: { $lte: by } } },
      { $group: { _id: '$endpointId' } },
      { $sort: { _id: 1 } },
      { $limit: limit },
    ]);
    return (await due.toArray()).map(({ _id }) => _id);
  }

  async oldestDue({ isMail }: { isMail: boolean }): Promise<Date | null> {
    const endpointId = { [isMail ? '$in' : '$nin']: Object.values(mailIds) };
    const options = { projection: { dueAt: 1 }, sort: { dueAt: 1 } } as const;
    const oldest = await this.#collection.findOne({ endpointId, dueAt: { $exists: true } }, options);
    return oldest?.dueAt ?? null;
  }
}

type DeliveredEvent = Pick<EventRecord, '_id' | 'type'>;
type Target = Pick<DestinationRecord, '_id' | 'activeSince'>;

export const newDelivery = (event: DeliveredEvent, target: Target, now: Date): DeliveryRecord => ({
  _id: idOf(`${event._id} ${target._id}`),
  eventId: event._id,
  endpointId: target._id,
  type: event.type,
  activeSince: target.activeSince,
  status: 'pending',
  attempts: [],
  dueAt: now,
  createdAt: now,
});

/** The process that stores the delivery has already claimed it. */
export const newClaimed = (event: DeliveredEvent, target: Target, now: Date): ClaimedDelivery => ({
  ...newDelivery(event, target, now),
  lease: randomUUID(),
  dueAt: new Date(now.getTime() + leaseMs),
});

export const newRedelivery = (event: DeliveredEvent, target: Target, now: Date): DeliveryRecord => ({
  ...newDelivery(event, target, now),
  _id: idOf(randomUUID()),
});

const idOf = (text: string) => `dlv_${hash('sha256', text, 'hex').slice(0, 32)}`;

function toCompletion({ delivery: { _id, lease }, attempt, retryAt }: DeliveryResult) {
  const status: DeliveryStatus = attempt.error === null ? 'delivered' : retryAt ? 'pending' : 'failed';
  return {
    filter: { _id, lease },
    update: {
      $push: { attempts: attempt },
      $set: { status, ...(retryAt && { dueAt: retryAt }) },
      $unset: { lease: '' as const, ...(!retryAt && { dueAt: '' as const }) },
    },
  };
}
