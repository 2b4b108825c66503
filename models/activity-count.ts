/**
 * How many calls each user's keys and apps made, a day and a source at a time. The audit is what is counted: each process
 * counts the entries that it has stored, and those of a process that died, exactly once.
 */
import { type Connection, Schema, type Types } from 'mongoose';
import { type AuditEntries, type AuditWriterRecord, endOf, type RefusedKey } from './audit-entry.ts';

/** One document for each user, day and source, and one of the day's total, which has no source. */
interface ActivityCountRecord {
  /** "USER:DATE:SOURCE". */
  _id: string;
  userId: number;
  /** 00:00 UTC. */
  day: Date;
  /** Of a key; empty for an app and for the total. */
  keyId: string;
  /** The client_id of an app; empty for a key and for the total. */
  clientId: string;
  calls: number;
  /** Calls that ended with 400 or more. */
  failures: number;
  /** Of a key that was refused. */
  refusedKey?: RefusedKey | null;
}

export interface DayCount {
  /** As in 2026-11-21. */
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
  /** How many days, up to today. */
  dayCount: number;
}

interface DayQuery extends CountQuery {
  /** Only the calls of this key, by its id, or of this app, by its client_id. */
  source?: string | undefined;
}

type Increment = Omit<ActivityCountRecord, '_id'>;

const dayMs = 24 * 60 * 60 * 1000;
const retentionSeconds = 90 * 24 * 60 * 60;

/** Documents summed up for one summary: a hundred keys on each of thirty days. */
const documentsMax = 3000;

/** A process counts or says that it is alive more often than this. */
const writerStaleMs = 75_000;

const countSchema = new Schema<ActivityCountRecord>({
  _id: { type: String, required: true },
  userId: { type: Number, required: true },
  day: { type: Date, required: true, expires: retentionSeconds },
  keyId: { type: String, required: true },
  clientId: { type: String, required: true },
  calls: { type: Number, required: true },
  failures: { type: Number, required: true },
  refusedKey: { type: { name: String, prefix: String }, _id: false },
});
const byUser = { userId: 1, day: -1 } as const;
countSchema.index(byUser);

/** Abandoned writers taken on at once; more wait for the next time. */
const abandonedMax = 100;

const idOf = (userId: number, day: Date, source: string) => `${userId}:${dateOf(day)}:${source}`;

const dateOf = (day: Date) => day.toISOString().slice(0, '2026-11-21'.length);

export class ActivityCounts {
  readonly #model;
  readonly #counts;
  readonly #entries;
  readonly #writers;
  readonly #own;

  constructor(connection: Connection, { writer }: AuditEntries) {
    this.#model = connection.model('ActivityCount', countSchema, 'activity_counts');
    this.#counts = connection.collection<ActivityCountRecord>('activity_counts');
    this.#entries = connection.collection('audit_entries');
    this.#writers = connection.collection<AuditWriterRecord>('audit_writers');
    this.#own = writer;
  }

  /** Counts what this process has stored, and says that the process is alive. */
  async countOwn(now: Date): Promise<void> {
    const { id, settledTo } = this.#own;
    const alive = { $set: { isOpen: true, aliveAt: now } };
    const record = await this.#writers.findOneAndUpdate({ _id: id }, alive);
    if (record) await this.#count(record, settledTo);
  }

  /** Counts what processes left that have not been alive for `writerStaleMs`. */
  async countAbandoned(now: Date): Promise<void> {
    const stale = { isOpen: true, aliveAt: { $lt: new Date(now.getTime() - writerStaleMs) } };
    for (const record of await this.#writers.find(stale).limit(abandonedMax).toArray()) {
      const { _id, aliveAt, countedTo } = record;
      const rest = { _id: { $gt: countedTo, $lt: endOf(_id) } };
      const last = await this.#entries.findOne(rest, { sort: { _id: -1 }, projection: { _id: 1 } });
      if (last) await this.#count(record, last._id);
      await this.#writers.updateOne({ _id, aliveAt }, { $set: { isOpen: false } });
    }
  }

  /** Every day of them, oldest first. */
  async listDays({ userId, source = '', dayCount }: DayQuery, now: Date): Promise<DayCount[]> {
    const days = Array.from({ length: dayCount }, (_, index) => startOfDay(now, dayCount - 1 - index));
    const ids = days.map((day) => idOf(userId, day, source));
    const found = await this.#model.find({ _id: { $in: ids } }).lean();
    const byId = new Map(found.map((count) => [count._id, count]));
    return days.map((day, index) => {
      const { calls = 0, failures = 0 } = byId.get(ids[index] ?? '') ?? {};
      return { date: dateOf(day), calls, failures };
    });
  }

  /** Keys and apps that called, the busiest first. */
  async listSources(
    { userId, dayCount }: CountQuery,
    { now, limit }: { now: Date; limit: number },
  ): Promise<SourceCount[]> {
    const sums = { calls: { $sum: '$calls' }, failures: { $sum: '$failures' } };
    const found = await this.#model
      .aggregate<Omit<SourceCount, 'keyId' | 'clientId'> & { _id: Pick<SourceCount, 'keyId' | 'clientId'> }>([
        { $match: { userId, day: { $gte: startOfDay(now, dayCount - 1) } } },
        { $sort: { day: -1 } },
        { $limit: documentsMax },
        { $match: { $or: [{ keyId: { $ne: '' } }, { clientId: { $ne: '' } }] } },
        { $group: { _id: { keyId: '$keyId', clientId: '$clientId' }, ...sums, refusedKey } },
        { $sort: { calls: -1, _id: 1 } },
        { $limit: limit },
      ])
      // Named, as MongoDB may choose the index that removes old days, and walk those of all users.
      .hint(byUser);
    return found.map(({ _id, ...count }) => ({ ..._id, ...count }));
  }

  /** Counts a writer's entries up to a number, unless another process does. */
  async #count({ _id, countedTo }: AuditWriterRecord, upTo: Types.ObjectId): Promise<void> {
    // A count that began before another one ended must not move the mark back.
    if (Buffer.compare(upTo.id, countedTo.id) <= 0) return;
    const increments = await this.#sum(countedTo, upTo);
    await this.#model.db.transaction(async (session) => {
      const taken = await this.#writers.updateOne(
        { _id, countedTo },
        { $set: { countedTo: upTo } },
        { session },
      );
      if (taken.modifiedCount === 0 || increments.length === 0) return;
      // Without Mongoose's casts, which take more time than the rest of it: there is an increment for each key in use.
      await this.#counts.bulkWrite(increments.map(toUpsert), { session, ordered: false });
    });
  }

  /** What entries add to the counts of their day and source, and to those of their day. */
  async #sum(after: Types.ObjectId, upTo: Types.ObjectId): Promise<Increment[]> {
    const bySource = await this.#entries
      .aggregate<Increment>([
        {
          $match: {
            _id: { $gt: after, $lte: upTo },
            $or: [{ keyId: { $ne: '' } }, { clientId: { $gt: '' } }],
          },
        },
        { $group: { _id: sourceOfCall, calls: { $sum: 1 }, failures: { $sum: isError }, refusedKey } },
        { $replaceWith: { $mergeObjects: ['$_id', '$$ROOT'] } },
        { $unset: '_id' },
      ])
      .toArray();
    const totals = new Map<string, Increment>();
    for (const { userId, day, calls, failures } of bySource) {
      const id = idOf(userId, day, '');
      const sum = totals.get(id) ?? { userId, day, keyId: '', clientId: '', calls: 0, failures: 0 };
      totals.set(id, { ...sum, calls: sum.calls + calls, failures: sum.failures + failures });
    }
    return [...bySource, ...totals.values()];
  }
}

const sourceOfCall = {
  userId: '$userId',
  day: { $dateTrunc: { date: '$at', unit: 'day' } },
  keyId: '$keyId',
  clientId: { $ifNull: ['$clientId', ''] },
};

/** Null where the key was not refused. */
const refusedKey = { $max: '$refusedKey' };

const isError = { $cond: [{ $gte: ['$status', 400] }, 1, 0] };

const toUpsert = ({ calls, failures, refusedKey, ...source }: Increment) => ({
  updateOne: {
    filter: { _id: idOf(source.userId, source.day, source.keyId || source.clientId) },
    update: { $setOnInsert: source, $inc: { calls, failures }, ...(refusedKey && { $set: { refusedKey } }) },
    upsert: true,
  },
});

const startOfDay = (now: Date, daysAgo: number) =>
  new Date((Math.floor(now.getTime() / dayMs) - daysAgo) * dayMs);
