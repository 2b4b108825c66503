/**
 * Makes many calls of one moment into one call of the database, where each call costs far more than what it carries.
 * A call that finds nothing under way goes at once; those that come meanwhile wait for it and then go together.
 * Where the last were several, the next wait for the turn of the event loop, in which others are read: with many callers
 * a batch holds a third more for it. After a batch of one nobody waits, so that who comes alone pays nothing.
 */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';

interface Waiting<Item, Outcome> {
  item: Item;
  resolve: (outcome: Outcome) => void;
  reject: (failure: unknown) => void;
}

/** One outcome for each item, in their order; an Error in the place of an outcome fails that caller only. */
export type ServeTogether<Item, Outcome> = (items: Item[]) => Promise<(Outcome | Error)[]>;

const batchMax = 256;

/**
 * @param serveTogether is never called with items that came after it was called, so a reader sees what was written
 * before it asked; when it throws, all its callers fail
 */
export function gather<Item, Outcome>(serveTogether: ServeTogether<Item, Outcome>) {
  const waiting: Waiting<Item, Outcome>[] = [];
  let isUnderWay = false;
  let isBusy = false;

  async function serveWaiting(): Promise<void> {
    isUnderWay = true;
    while (waiting.length > 0) {
      if (isBusy) await turnOfTheLoop();
      const batch = waiting.splice(0, batchMax);
      isBusy = batch.length > 1;
      await serveBatch(batch, serveTogether);
    }
    isUnderWay = false;
  }

  return (item: Item): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isUnderWay) void serveWaiting();
    });
}

async function serveBatch<Item, Outcome>(
  batch: Waiting<Item, Outcome>[],
  serveTogether: ServeTogether<Item, Outcome>,
): Promise<void> {
  try {
    const outcomes = await serveTogether(batch.map(({ item }) => item));
    if (outcomes.length !== batch.length) throw new Error('a gathered call left callers without an outcome');
    batch.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index];
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome as Outcome); // there is one for each, as counted above
    });
  } catch (failure) {
    for (const { reject } of batch) reject(failure);
  }
}

/** Reads by key, gathered: `find` is asked for all keys of one moment; who asks for the same key shares its record. */
export function gatherByKey<Key, Found>(
  findMany: (keys: Key[]) => Promise<Found[]>,
  keyOf: (found: Found) => Key,
): (key: Key) => Promise<Found | null> {
  return gather(async (keys) => {
    const found = new Map((await findMany([...new Set(keys)])).map((record) => [keyOf(record), record]));
    return keys.map((key) => found.get(key) ?? null);
  });
}
