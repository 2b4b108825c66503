/** Remembers the results for the most recent keys. */

/** @param max how many results are held; the oldest is evicted first */
export function memoizeRecent<Result>(max: number, create: (key: string) => Result): (key: string) => Result {
  const results = new Map<string, Result>();
  return function recent(key) {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = create(key);
    const [oldest] = results.keys();
    if (results.size >= max && oldest !== undefined) results.delete(oldest);
    results.set(key, result);
    return result;
  };
}
