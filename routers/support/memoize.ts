/** Values that are computed once: on first use, per frozen object, or per recent key. */
import QuickLRU from 'quick-lru';

/** All callers share one load. A failure is not cached: the next caller tries again. */
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

/** Caches for as long as the object lives. Only frozen objects are cached, because they never change. */
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

/** @param max how many of the most recently used results are kept; the cache can hold up to twice as many */
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
