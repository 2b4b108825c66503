/** Values that are made once: on first use, for each frozen object, or for each of the most recent keys. */
import QuickLRU from 'quick-lru';

/** Loads a value on first use, once for all callers. A failure is not kept: the next caller tries again. */
export function lazy<Thing>(load: () => Promise<Thing>): () => Promise<Thing> {
  let loading: Promise<Thing> | undefined;
  return () => {
    loading ??= load().catch((failure: unknown) => {
      loading = undefined;
      throw failure;
    });
    return loading;
  };
}

/**
 * Caches what is computed from an object that many requests share. Only frozen objects, as they never change; the result
 * lives as long as the object.
 */
export function memoizeByIdentity<Source extends object, Made>(make: (source: Source) => Made) {
  const kept = new WeakMap<Source, Made>();
  return (source: Source): Made => {
    if (!Object.isFrozen(source)) return make(source);
    const known = kept.get(source);
    if (known !== undefined) return known;
    const made = make(source);
    kept.set(source, made);
    return made;
  };
}

/** @param max how many results are held; of up to twice as many, those used least recently are forgotten */
export function memoizeRecent<Result>(max: number, create: (key: string) => Result): (key: string) => Result {
  const results = new QuickLRU<string, Result>({ maxSize: max });
  return function recent(key) {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = create(key);
    results.set(key, result);
    return result;
  };
}
