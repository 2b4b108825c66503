/** The one limit of concurrency: what has the same key runs a few at a time, in the order of the calls. */
import pLimit from 'p-limit';

/** Keys with nothing to run are forgotten. */
export function limitByKey<Key>(concurrency: number) {
  const entries = new Map<Key, { limit: ReturnType<typeof pLimit>; calls: number }>();
  return async function run<Result>(
    key: Key,
    work: (hasWaited: boolean) => Promise<Result>,
  ): Promise<Result> {
    const entry = entries.get(key) ?? { limit: pLimit(concurrency), calls: 0 };
    const hasWaited = entry.calls >= concurrency;
    entries.set(key, entry);
    entry.calls += 1;
    try {
      return await entry.limit(work, hasWaited);
    } finally {
      entry.calls -= 1;
      if (entry.calls === 0) entries.delete(key);
    }
  };
}
