/**
 * Counts of calls by user, day and source, summed from audit entries and buffered in memory. A killed process loses its
 * buffered counts, but no audit entries.
 */
import type { Connection, mongo } from 'mongoose';
import { type AuditEntryRecord, refusedKeySchema } from './audit-entry.ts';
import { pageSizeMax, summaryDaysMax } from './bounds.ts';
import { defineCollection, defineSchema, type RecordOf } from './support/collection.ts';
import { dayMs, daySeconds } from './support/durations.ts';
import { runTransaction } from './support/transaction.ts';

const retentionSeconds = 90 * daySeconds;

const byUser = { userId: 1, day: -1 } as const;

/** One document for each user, day and source. The document of a user's daily total has no source. */
const activityCountSchema = defineSchema({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  /** The start of the day, 00:00 UTC. */
  day: { type: Date, required: true },
  /** Empty for an app and for the total. */
  keyId: { type: String, required: true },
  /** The app's client_id; empty for a key and for the total. */
  clientId: { type: String, required: true },
  calls: { type: Number, required: true },
  failures: { type: Number, required: true },
  refusedKey: refusedKeySchema,
})
  .index(byUser)
  .index({ day: 1 }, { expireAfterSeconds: retentionSeconds });

type ActivityCountRecord = RecordOf<typeof activityCountSchema>;

export interface DayCount {
  date: string;
  calls: number;
  failures: number;
}

export type SourceCount = Pick<
  ActivityCountRecord,
  'keyId' | 'clientId' | 'calls' | 'failures' | 'refusedKey'
>;

interface CountQuery {
  userId: number;
  dayCount: number;
}

interface DayQuery extends CountQuery {
  /** A key's id or an app's client_id; without it, the total. */
  source?: string | undefined;
}

type Increment = Omit<ActivityCountRecord, '_id'>;

const idOf = (userId: number, day: Date, source: string) => `${userId}:${dateOf(day)}:${source}`;

const dateOf = (day: Date) => day.toISOString().slice(0, '2026-11-21'.length);

export class ActivityCounts {
  readonly #connection: Connection;
  readonly #counts: mongo.Collection<ActivityCountRecord>;
  #pending = new Map<string, Increment>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#counts = defineCollection(connection, 'activity_counts', activityCountSchema);
  }

  add(entries: readonly AuditEntryRecord[]): void {
    for (const { at, userId, keyId, clientId = '', status, refusedKey } of entries) {
      if (userId === null || !(keyId || clientId)) continue;
      const day = startOfDay(at, 0);
      const counted = { calls: 1, failures: status >= 400 ? 1 : 0 };
      this.#increment({ userId, day, keyId, clientId, ...counted, ...(refusedKey && { refusedKey }) });
      this.#increment({ userId, day, keyId: '', clientId: '', ...counted });
    }
  }

  #increment(increment: Increment): void {
    const { userId, day, keyId, clientId, calls, failures, refusedKey } = increment;
    const id = `${userId}:${day.getTime()}:${keyId || clientId}`;
    const sum = this.#pending.get(id);
    if (!sum) this.#pending.set(id, increment);
    else {
      sum.calls += calls;
      sum.failures += failures;
      if (refusedKey) sum.refusedKey = refusedKey;
    }
  }

  /** Stores all increments or none; after a failure, the next call stores them. */
  async store(): Promise<void> {
    const increments = [...this.#pending.values()];
    if (increments.length === 0) return;
    this.#pending = new Map();
    try {
      await runTransaction(this.#connection, (session) =>
        this.#counts.bulkWrite(increments.map(toUpsert), { session, ordered: false }),
      );
    } catch (failure) {
      for (const increment of increments) this.#increment(increment);
      throw failure;
    }
  }

  /** Resolves to every day, oldest first, including days without calls. */
  async listDays({ userId, source = '', dayCount }: DayQuery, now: Date): Promise<DayCount[]> {
    const days = Array.from({ length: dayCount }, (_, index) => startOfDay(now, dayCount - 1 - index));
    const ids = days.map((day) => idOf(userId, day, source));
    const found = await this.#counts.find({ _id: { $in: ids } }).toArray();
    const byId = new Map(found.map((count) => [count._id, count]));
    return days.map((day, index) => {
      const { calls = 0, failures = 0 } = byId.get(ids[index] ?? '') ?? {};
      return { date: dateOf(day), calls, failures };
    });
  }

  async listSources(
    { userId, dayCount }: CountQuery,
    { now, limit }: { now: Date; limit: number },
  ): Promise<SourceCount[]> {
    const sums = { calls: { $sum: '$calls' }, failures: { $sum: '$failures' } };
    type Sum = Omit<SourceCount, 'keyId' | 'clientId'> & { _id: Pick<SourceCount, 'keyId' | 'clientId'> };
    const pipeline = [
      { $match: { userId, day: { $gte: startOfDay(now, dayCount - 1) } } },
      { $sort: { day: -1 } },
      { $limit: pageSizeMax * summaryDaysMax },
      { $match: { $or: [{ keyId: { $ne: '' } }, { clientId: { $ne: '' } }] } },
      { $group: { _id: { keyId: '$keyId', clientId: '$clientId' }, ...sums, refusedKey } },
      { $sort: { calls: -1, _id: 1 } },
      { $limit: limit },
    ];
    // Without the hint, MongoDB may choose the TTL index and scan the days of all users.
    const found = await this.#counts.aggregate<Sum>(pipeline, { hint: byUser }).toArray();
    return found.map(({ _id, ...count }) => ({ ..._id, ...count }));
  }
}

const refusedKey = { $max: '$refusedKey' };

const toUpsert = ({ calls, failures, refusedKey, ...source }: Increment) => ({
  updateOne: {
    filter: { _id: idOf(source.userId, source.day, source.keyId || source.clientId) },
    update: { $setOnInsert: source, $inc: { calls, failures }, ...(refusedKey && { $set: { refusedKey } }) },
    upsert: true,
  },
});

const startOfDay = (now: Date, daysAgo: number) =>
  new Date((Math.floor(now.getTime() / dayMs) - daysAgo) * dayMs);
