/**
 * Batches concurrent calls into one database call, where the round trip costs more than what it carries.
 * A call goes out at once when none is running; calls that arrive meanwhile form the next batch. After a batch of several,
 * the next one waits one turn of the event loop, which makes it about a third larger under load; a lone caller never waits.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

interface Pending<Item, Outcome> {
  item: Item;
  resolve: (outcome: Outcome) => void;
  reject: (failure: unknown) => void;
}

/** Returns one outcome per item, in the same order; an Error in place of an outcome rejects that caller only. */
export type BatchFn<Item, Outcome> = (items: Item[]) => Promise<(Outcome | Error)[]>;

const batchMax = 256;

/**
 * @param runBatch only receives items that were queued before it was called, so a read sees every earlier write; when it
 * throws, all its callers are rejected
 * @param waitForMore delays the batch that follows one of several calls, so that it holds more; by default by one turn of the
 * event loop
 */
export function createBatcher<Item, Outcome>(
  runBatch: BatchFn<Item, Outcome>,
  waitForMore: () => Promise<unknown> = nextTurn,
) {
  const queue: Pending<Item, Outcome>[] = [];
  let isRunning = false;
  let wasShared = false;

  async function drainQueue(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      if (wasShared) await waitForMore();
      const batch = queue.splice(0, batchMax);
      wasShared = batch.length > 1;
      await settleBatch(batch, runBatch);
    }
    isRunning = false;
  }

  return (item: Item): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isRunning) void drainQueue();
    });
}

async function settleBatch<Item, Outcome>(
  batch: Pending<Item, Outcome>[],
  runBatch: BatchFn<Item, Outcome>,
): Promise<void> {
  try {
    const outcomes = await runBatch(batch.map(({ item }) => item));
    if (outcomes.length !== batch.length) throw new Error('A batch returned the wrong number of outcomes');
    batch.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index];
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome as Outcome); // the lengths are equal, as checked above
    });
  } catch (failure) {
    for (const { reject } of batch) reject(failure);
  }
}

/** Batched reads by key: `findMany` gets each key once, and callers with the same key share the record. */
export function createKeyBatcher<Key, Found>(
  findMany: (keys: Key[]) => Promise<Found[]>,
  keyOf: (found: Found) => Key,
): (key: Key) => Promise<Found | null> {
  return createBatcher(async (keys) => {
    const found = new Map((await findMany([...new Set(keys)])).map((record) => [keyOf(record), record]));
    return keys.map((key) => found.get(key) ?? null);
  });
}
