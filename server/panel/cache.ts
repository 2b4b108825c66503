/**
 * Caches what the panel says and coalesces concurrent loads, because all our callers share the panel's rate limit.
 * A failure is shared by the calls that wait for it, but never cached.
 */
import type { Clock } from '../../routers/ports.ts';

interface CacheOptions<Key, Value, Ask> {
  /** The result is shared by many callers, so it must be frozen. */
  load(key: Key, requestId: string, ask: Ask): Promise<Value>;
  clock: Clock;
  entriesMax: number;
}

export interface GetOptions {
  requestId: string;
  /** Counted from the request to the panel, not from its response. */
  ageMsMax: number;
}

function evictOldest<Key>(entries: Map<Key, unknown>, entriesMax: number) {
  for (const oldest of entries.keys()) {
    if (entries.size <= entriesMax) return;
    entries.delete(oldest);
  }
}

export function createCache<Key, Value, Ask extends GetOptions = GetOptions>(
  options: CacheOptions<Key, Value, Ask>,
) {
  const { load, clock, entriesMax } = options;
  const pending = new Map<Key, Promise<Value>>();
  const entries = new Map<Key, { value: Value; requestedAt: number }>();

  function peek(key: Key, ageMsMax: number): Value | undefined {
    const { value, requestedAt = Number.POSITIVE_INFINITY } = entries.get(key) ?? {};
    const ageMs = clock() - requestedAt;
    return ageMs >= 0 && ageMs < ageMsMax ? value : undefined;
  }

  function loadAndStore(key: Key, ask: Ask) {
    const requestedAt = clock();
    const isCurrent = () => pending.get(key) === loading;
    const loading = load(key, ask.requestId, ask)
      .then((value) => {
        // A load that began before a drop may describe the state before the write.
        if (!isCurrent()) return value;
        entries.delete(key);
        entries.set(key, { value, requestedAt });
        evictOldest(entries, entriesMax);
        return value;
      })
      .finally(() => isCurrent() && pending.delete(key));
    pending.set(key, loading);
    return loading;
  }

  return {
    peek,
    get: async (key: Key, ask: Ask): Promise<Value> =>
      peek(key, ask.ageMsMax) ?? pending.get(key) ?? loadAndStore(key, ask),
    drop(key: Key) {
      entries.delete(key);
      pending.delete(key);
    },
  };
}
