/**
 * Caches what the panel says and coalesces concurrent loads, because all our callers share the panel's rate limit.
 * A failure is shared by the calls that wait for it, but never cached.
 */
import type { Clock } from '../../routers/ports.ts';

interface CacheOptions<Key, Value> {
  /** The result is shared by many callers, so it must be frozen. */
  load(key: Key, requestId: string): Promise<Value>;
  clock: Clock;
  entriesMax: number;
}

interface GetOptions {
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

export type Cache<Key, Value> = ReturnType<typeof createCache<Key, Value>>;

export function createCache<Key, Value>({ load, clock, entriesMax }: CacheOptions<Key, Value>) {
  const pending = new Map<Key, Promise<Value>>();
  const entries = new Map<Key, { value: Value; requestedAt: number }>();

  function peek(key: Key, ageMsMax: number): Value | undefined {
    const entry = entries.get(key);
    if (!entry) return undefined;
    const ageMs = clock() - entry.requestedAt;
    return ageMs >= 0 && ageMs < ageMsMax ? entry.value : undefined;
  }

  function loadAndStore(key: Key, requestId: string) {
    const requestedAt = clock();
    const isCurrent = () => pending.get(key) === loading;
    const loading = load(key, requestId)
      .then((value) => {
        // A load that began before a drop may describe the state before the write.
        if (isCurrent()) {
          entries.delete(key);
          entries.set(key, { value, requestedAt });
          evictOldest(entries, entriesMax);
        }
        return value;
      })
      .finally(() => isCurrent() && pending.delete(key));
    pending.set(key, loading);
    return loading;
  }

  return {
    peek,
    async get(key: Key, { requestId, ageMsMax }: GetOptions): Promise<Value> {
      return peek(key, ageMsMax) ?? pending.get(key) ?? loadAndStore(key, requestId);
    },
    drop(key: Key) {
      entries.delete(key);
      pending.delete(key);
    },
  };
}
