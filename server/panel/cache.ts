/**
 * Caches what the panel says and coalesces concurrent loads, because all our callers share the panel's rate limit.
 * A failure is shared by the calls that wait for it, but never cached.
 */
import type { Clock } from '../../routers/ports.ts';

export interface CacheOptions<Subject, Value> {
  /** The result is shared by many callers, so it must be frozen. */
  load(subject: Subject, requestId: string): Promise<Value>;
  /** What is the same for all values of one subject; the subject itself unless told otherwise. */
  keyOf?(subject: Subject): unknown;
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

export type Cache<Subject, Value> = ReturnType<typeof createCache<Subject, Value>>;

export function createCache<Subject, Value>(options: CacheOptions<Subject, Value>) {
  const { load, keyOf = (subject: Subject) => subject, clock, entriesMax } = options;
  const pending = new Map<unknown, Promise<Value>>();
  const entries = new Map<unknown, { value: Value; requestedAt: number }>();

  function peek(subject: Subject, ageMsMax: number): Value | undefined {
    const entry = entries.get(keyOf(subject));
    const ageMs = entry ? clock() - entry.requestedAt : -1;
    return ageMs >= 0 && ageMs < ageMsMax ? entry?.value : undefined;
  }

  function loadAndStore(subject: Subject, requestId: string) {
    const key = keyOf(subject);
    const requestedAt = clock();
    const isCurrent = () => pending.get(key) === loading;
    const loading = load(subject, requestId)
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
    async get(subject: Subject, { requestId, ageMsMax }: GetOptions): Promise<Value> {
      return peek(subject, ageMsMax) ?? pending.get(keyOf(subject)) ?? loadAndStore(subject, requestId);
    },
    drop(key: unknown) {
      for (const kept of [entries, pending]) kept.delete(key);
    },
  };
}
