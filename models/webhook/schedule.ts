/**
 * Which endpoints have something due. Each endpoint has the time when it is visited next; deliveries lower it after they
 * are stored. A visit first moves that time to the end of its lease and reads afterward what is due: what is stored
 * meanwhile either is seen or lowers the time again, so none is forgotten, and endpoints are served in turn.
 */
import type { Connection, mongo } from 'mongoose';
import { createBatcher } from '../support/batcher.ts';
import { updateAll } from '../support/writes.ts';
import type { EndpointRecord } from './schema.ts';

/** Longer than a visit in which every attempt runs into its time limit. */
const visitMs = 45_000;

/** A success is recorded at most once in this time. */
const successStaleMs = 1000;

export interface Visit {
  endpoint: EndpointRecord;
  /** The end of its lease. */
  endsAt: Date;
}

interface Update {
  filter: mongo.Filter<EndpointRecord>;
  update: mongo.UpdateFilter<EndpointRecord>;
}

export class WebhookSchedule {
  readonly #collection: mongo.Collection<EndpointRecord>;
  readonly #update: (update: Update) => Promise<null>;

  /** @param connection one that has the endpoints' model */
  constructor(connection: Connection) {
    this.#collection = connection.collection<EndpointRecord>('webhooks');
    this.#update = createBatcher(async (updates: Update[]) => {
      await updateAll(this.#collection, updates);
      return updates.map(() => null);
    });
  }

  /** Something is due for these at that time. */
  async wake(ids: readonly string[], at: Date): Promise<void> {
    if (ids.length === 0) return;
    await this.#collection.updateMany({ _id: { $in: [...ids] } }, { $min: { wakeAt: at } });
  }

  /** The endpoints that have these ids; those of a user who was deleted are missing. */
  listAudiences(ids: readonly string[]): Promise<Pick<EndpointRecord, '_id' | 'audience'>[]> {
    return this.#collection.find({ _id: { $in: [...ids] } }, { projection: { audience: 1 } }).toArray();
  }

  /** Endpoints to visit now, those that have waited longest first. */
  async listDue(
    now: Date,
    { limit, without }: { limit: number; without: readonly string[] },
  ): Promise<string[]> {
    const due = await this.#collection
      .find({ wakeAt: { $lte: now }, _id: { $nin: [...without] } }, { projection: { _id: 1 } })
      .sort({ wakeAt: 1 })
      .limit(limit)
      .toArray();
    return due.map(({ _id }) => _id);
  }

  /** Begins a visit, with the endpoint as it is now; null when another process has begun one. */
  async visit(id: string, now: Date): Promise<Visit | null> {
    const endsAt = new Date(now.getTime() + visitMs);
    const endpoint = await this.#collection.findOneAndUpdate(
      { _id: id, wakeAt: { $lte: now } },
      { $set: { wakeAt: endsAt } },
      { returnDocument: 'after' },
    );
    return endpoint && { endpoint, endsAt };
  }

  /** Ends a visit. @param nextAt when the next delivery is due; null when none waits */
  async leave({ endpoint: { _id }, endsAt }: Visit, nextAt: Date | null): Promise<void> {
    if (nextAt) await this.#update({ filter: { _id }, update: { $min: { wakeAt: nextAt } } });
    // Unless one was stored meanwhile.
    else await this.#update({ filter: { _id, wakeAt: endsAt }, update: { $unset: { wakeAt: '' } } });
  }

  /** Nothing is tried at the endpoint before that time. */
  async pause({ _id }: EndpointRecord, until: Date): Promise<void> {
    await this.#update({ filter: { _id }, update: { $max: { pausedUntil: until } } });
  }

  async recordSuccess({ _id, failingSince, lastSuccessAt }: EndpointRecord, at: Date): Promise<null> {
    const isRecent = lastSuccessAt && at.getTime() - lastSuccessAt.getTime() < successStaleMs;
    if (isRecent && !failingSince) return null;
    await this.#update({
      filter: { _id },
      update: { $max: { lastSuccessAt: at }, $set: { failingSince: null, failureCount: 0 } },
    });
    return null;
  }

  /** Counts a failure; returns the failures since the last success. */
  async recordFailure({ _id }: EndpointRecord, at: Date): Promise<{ since: Date; count: number }> {
    const since = { $ifNull: ['$failingSince', at] };
    const updated = await this.#collection.findOneAndUpdate(
      { _id },
      [{ $set: { failingSince: since, failureCount: { $add: ['$failureCount', 1] } } }],
      { returnDocument: 'after', projection: { failingSince: 1, failureCount: 1 } },
    );
    return { since: updated?.failingSince ?? at, count: updated?.failureCount ?? 1 };
  }
}
