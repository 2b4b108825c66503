/** Helpers for writes: bulk writes with a result for each, inserts that a unique index decides, and times of last use. */
import { type Connection, mongo } from 'mongoose';
import { bufferedWritesMax } from '../bounds.ts';
import { createBatcher } from './batcher.ts';
import { minuteMs } from './durations.ts';

const duplicateKeyCode = 11_000;

/** Recognizes duplicate keys (E11000), so that a unique index decides between concurrent inserts. */
export const isDuplicateKey = (failure: unknown): failure is mongo.MongoServerError =>
  failure instanceof mongo.MongoServerError && failure.code === duplicateKeyCode;

/** Whether the duplicate key is in this index. For single failures, a bulk write reports only the message. */
export const isDuplicateIn = (index: string, { message }: Error) =>
  message.includes('E11000 ') && message.includes(` index: ${index} `);

export async function nullOnDuplicateKey<Result>(
  field: string,
  insert: Promise<Result>,
): Promise<Result | null> {
  try {
    return await insert;
  } catch (failure) {
    if (isDuplicateKey(failure) && Object.hasOwn(failure['keyPattern'] ?? {}, field)) return null;
    throw failure;
  }
}

/** Failures by the index of their write; empty when all succeeded. */
type WriteFailures = ReadonlyMap<number, Error>;

type UpdateOne<Record> = Pick<mongo.UpdateOneModel<Record & mongo.Document>, 'filter'> & {
  update: mongo.UpdateFilter<Record> | mongo.Document[];
};

/** Outside a transaction, each insert succeeds or fails by itself. A single insert uses the driver's cheaper plain call. */
export const insertAll = <Record extends mongo.Document>(
  collection: mongo.Collection<Record>,
  records: mongo.OptionalUnlessRequiredId<Record>[],
  session?: mongo.ClientSession,
): Promise<unknown> => {
  const [only, ...others] = records;
  return only && others.length === 0
    ? collection.insertOne(only, session && { session })
    : collection.insertMany(records, { ordered: false, ...(session && { session }) });
};

export async function updateAll<Record extends mongo.Document>(
  collection: mongo.Collection<Record>,
  updates: UpdateOne<Record>[],
): Promise<number> {
  const [only, ...others] = updates;
  const { matchedCount } =
    only && others.length === 0
      ? await collection.updateOne(only.filter, only.update)
      : await collection.bulkWrite(
          updates.map((updateOne) => ({ updateOne })),
          { ordered: false },
        );
  return matchedCount;
}

/** @throws failures of the whole call: database unreachable, no majority */
export async function collectFailures(write: () => Promise<unknown>): Promise<WriteFailures> {
  try {
    await write();
    return new Map();
  } catch (failure) {
    const failures = writeFailuresOf(failure);
    if (failures.size === 0) throw unwrap(failure);
    return failures;
  }
}

/** Inserts records. An earlier try may have stored some; resolves to the failures of those, by index. */
export async function insertMissing<Record extends mongo.Document>(
  collection: mongo.Collection<Record>,
  records: readonly mongo.OptionalUnlessRequiredId<Record>[],
  session?: mongo.ClientSession,
): Promise<WriteFailures> {
  if (records.length === 0) return new Map();
  const failures = await collectFailures(() => insertAll(collection, [...records], session));
  const failure = [...failures.values()].find((each) => !isDuplicateIn('_id_', each));
  if (failure) throw failure;
  return failures;
}

/** Converts a failure of a whole bulk write, such as no connection, to the form that a single write reports. */
const unwrap = (failure: unknown) =>
  failure instanceof mongo.MongoBulkWriteError && failure.errorResponse instanceof Error
    ? failure.errorResponse
    : failure;

/** A single write reports only a duplicate key as its own failure. */
function writeFailuresOf(failure: unknown): WriteFailures {
  if (failure instanceof mongo.MongoBulkWriteError) {
    const writeErrors = [failure.writeErrors].flat();
    return new Map(writeErrors.map(({ index, code, errmsg }) => [index, asServerError(code, errmsg)]));
  }
  return new Map(isDuplicateKey(failure) ? [[0, failure]] : []);
}

/** Converts to the form that a single write reports, because mongos reports a shard's outage as a failure of each write. */
const asServerError = (code: number, errmsg = '') => new mongo.MongoServerError({ message: errmsg, code });

/** How stale a recorded use may get: a busy key costs one write a minute. */
const useStaleMs = minuteMs;

/** The write does not wait for a majority, which may be missing for a long time. */
const options = { writeConcern: { w: 1 } } as const;

/**
 * Records when documents were last used, to the minute and in batches. A record may be late or lost, because a read must
 * neither wait for a write nor fail with one.
 * @param field the date of the last use; null or absent: never used
 */
export function createUseRecorder(connection: Connection, collection: string, field: string) {
  const records = connection.collection<{ _id: string }>(collection);
  const waiting = new Set<string>();
  const write = createBatcher(async (uses: { id: string; at: Date }[]) => {
    const last = new Date(Math.max(...uses.map(({ at }) => at.getTime())));
    const stale = { $not: { $gt: new Date(last.getTime() - useStaleMs) } };
    const filter = { _id: { $in: uses.map(({ id }) => id) }, [field]: stale };
    await records.updateMany(filter, { $set: { [field]: last } }, options);
    return uses.map(() => null);
  });

  return function record(id: string, lastUsedAt: Date | null, at: Date): void {
    if (lastUsedAt && at.getTime() - lastUsedAt.getTime() < useStaleMs) return;
    if (waiting.has(id) || waiting.size >= bufferedWritesMax) return;
    waiting.add(id);
    write({ id, at })
      .catch(() => {}) // the next use tries again
      .finally(() => waiting.delete(id));
  };
}
