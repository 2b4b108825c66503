/**
 * Deliveries: one of each event for each endpoint that gets it. A claim is one conditional update, which counts the attempt
 * and names its lease; of two processes one gets it, and a claim whose process died is due again when the lease ends.
 */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { createBatcher } from '../support/batcher.ts';
import { collectFailures, insertAll, isDuplicateId, updateAll } from '../support/writes.ts';
import {
  type Attempt,
  type DeliveryRecord,
  type DeliveryStatus,
  deliverySchema,
  type EndpointRecord,
  type EventRecord,
} from './schema.ts';

/** Longer than any attempt. */
const leaseMs = 45_000;

interface DeliveryPage {
  status?: DeliveryStatus | undefined;
  /** Only those that are listed after this one. */
  before?: string | undefined;
  limit: number;
}

/** A claimed delivery; `lease` proves the claim. */
export type ClaimedDelivery = DeliveryRecord & { lease: string };

/** How an attempt ended. */
interface DeliveryResult {
  delivery: ClaimedDelivery;
  attempt: Attempt;
  /** When to try again; null: never. */
  retryAt: Date | null;
}

export class WebhookDeliveries {
  readonly #model;
  readonly #collection: mongo.Collection<DeliveryRecord>;
  /** Stores how an attempt ended, unless its lease has passed to another. */
  readonly complete: (result: DeliveryResult) => Promise<null>;

  constructor(connection: Connection) {
    this.#model = connection.model('WebhookDelivery', deliverySchema, 'webhook_deliveries');
    this.#collection = connection.collection<DeliveryRecord>('webhook_deliveries');
    this.complete = createBatcher(async (results) => {
      await updateAll(this.#collection, results.map(toCompletion));
      return results.map(() => null);
    });
  }

  /** Stores deliveries; those of an earlier fan-out stay as they are. */
  async addAll(deliveries: readonly DeliveryRecord[]): Promise<void> {
    if (deliveries.length === 0) return;
    const failures = await collectFailures(() => insertAll(this.#collection, [...deliveries]));
    const failure = [...failures.values()].find((each) => !isDuplicateId(each));
    if (failure) throw failure;
  }

  /** What waits for an endpoint, the longest due first. */
  listWaiting(endpointId: string, limit: number): Promise<DeliveryRecord[]> {
    return this.#model
      .find({ endpointId, dueAt: { $exists: true } })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean()
      .exec();
  }

  countWaiting(endpointId: string, limit: number): Promise<number> {
    return this.#model.countDocuments({ endpointId, dueAt: { $exists: true } }, { limit }).exec();
  }

  /** Claims those of the deliveries that are still due. */
  async claim(deliveries: readonly DeliveryRecord[], now: Date): Promise<ClaimedDelivery[]> {
    const lease = randomUUID();
    const dueAt = new Date(now.getTime() + leaseMs);
    const ids = deliveries.map(({ _id }) => _id);
    const { modifiedCount } = await this.#model.updateMany(
      { _id: { $in: ids }, dueAt: { $lte: now } },
      { $set: { dueAt, lease }, $inc: { begunCount: 1 } },
    );
    const isAll = modifiedCount === ids.length;
    const claimed = isAll ? deliveries : await this.#findClaimed(ids, lease);
    const begun = isAll ? 1 : 0; // what is read again counts it
    return claimed.map((delivery) => ({ ...delivery, lease, begunCount: delivery.begunCount + begun }));
  }

  #findClaimed(ids: readonly string[], lease: string): Promise<DeliveryRecord[]> {
    return this.#model
      .find({ _id: { $in: ids }, lease })
      .lean()
      .exec();
  }

  /** Ends deliveries that must not be sent. */
  async drop(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#model.updateMany({ _id: { $in: ids }, ...waiting }, dropped);
  }

  /** Ends all that an endpoint waits for from before this epoch. */
  async dropBefore(endpointId: string, epoch: number): Promise<void> {
    await this.#model.updateMany({ endpointId, ...waiting, epoch: { $lt: epoch } }, dropped);
  }

  async removeOf(endpointId: string): Promise<void> {
    await this.#model.deleteMany({ endpointId });
  }

  findOfEndpoint(endpointId: string, id: string): Promise<DeliveryRecord | null> {
    return this.#model.findOne({ _id: id, endpointId }).lean().exec();
  }

  /** A page of an endpoint's deliveries, newest first. */
  async list(endpointId: string, { status, before, limit }: DeliveryPage): Promise<DeliveryRecord[]> {
    const last = before === undefined ? null : await this.findOfEndpoint(endpointId, before);
    if (before !== undefined && !last) return [];
    const isAfter = last && {
      $or: [{ createdAt: { $lt: last.createdAt } }, { createdAt: last.createdAt, _id: { $lt: last._id } }],
    };
    return this.#model
      .find({ endpointId, ...(status && { status }), ...isAfter })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean()
      .exec();
  }

  /** Endpoints for which something has been due since before this time, a page at a time by id. */
  async listOverdue(since: Date, after: string, limit: number): Promise<string[]> {
    // Reads one entry of the index for each endpoint, however much waits for it.
    const overdue = await this.#model.aggregate<{ _id: string }>([
      { $match: { endpointId: { $gt: after }, dueAt: { $lt: since } } },
      { $group: { _id: '$endpointId' } },
      { $sort: { _id: 1 } },
      { $limit: limit },
    ]);
    return overdue.map(({ _id }) => _id);
  }

  /** When the delivery that has waited longest became due; null when none waits. */
  async oldestDue(): Promise<Date | null> {
    const [oldest] = await this.#model
      .find({ dueAt: { $exists: true } }, { dueAt: 1 })
      .sort({ dueAt: 1 })
      .limit(1)
      .lean();
    return oldest?.dueAt ?? null;
  }
}

type Target = Pick<EndpointRecord, '_id' | 'epoch'>;

/** The delivery of an event to an endpoint, due now. */
export const newDelivery = (event: Pick<EventRecord, '_id' | 'type'>, endpoint: Target, now: Date) =>
  toDelivery(event, endpoint, { now, id: hashedId(`${event._id} ${endpoint._id}`) });

const hashedId = (text: string) => hash('sha256', text, 'hex').slice(0, 32);

/**
 * One more of the same event.
 * @param writeId the same for each try of one write, which makes one delivery
 */
export const newRedelivery = (
  event: Pick<EventRecord, '_id' | 'type'>,
  endpoint: Target,
  { now, writeId }: { now: Date; writeId?: string | undefined },
) =>
  toDelivery(event, endpoint, {
    now,
    id: writeId === undefined ? randomBytes(16).toString('hex') : hashedId(`${writeId} ${endpoint._id}`),
  });

const toDelivery = (
  { _id: eventId, type }: Pick<EventRecord, '_id' | 'type'>,
  { _id: endpointId, epoch }: Target,
  { now, id }: { now: Date; id: string },
): DeliveryRecord => ({
  ...{ _id: `dlv_${id}`, eventId, endpointId, type, epoch },
  ...{ status: 'pending', attempts: [], begunCount: 0, dueAt: now, createdAt: now },
});

const waiting = { dueAt: { $exists: true } };
const dropped = { $set: { status: 'failed' as const }, $unset: { dueAt: 1 as const, lease: 1 as const } };

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
