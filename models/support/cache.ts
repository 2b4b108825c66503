/**
 * The one cache of what is read elsewhere: as old as each caller accepts, at most so many values, and one load at a time for
 * each key. A failure is shared by the calls that wait for it, but never cached.
 */
import QuickLRU from 'quick-lru';

export interface CacheOptions<Subject, Value> {
  /** The result is shared by many callers, so it must be frozen. */
  load(subject: Subject, requestId: string): Promise<Value>;
  /** What is the same for all values of one subject; the subject itself unless told otherwise. */
  keyOf?(subject: Subject): unknown;
  /** In milliseconds. */
  clock(): number;
  /** Those used least recently are forgotten. */
  entriesMax: number;
  /** Whether a value's age counts from the end of its load: by default from its start, as it may be as old as that. */
  agesFromEnd?: boolean;
}

interface GetOptions {
  /** Passed to `load`. */
  requestId?: string;
  ageMsMax: number;
}

export function createCache<Subject, Value>(options: CacheOptions<Subject, Value>) {
  const { load, keyOf = (subject: Subject) => subject, clock, entriesMax, agesFromEnd = false } = options;
  const pending = new Map<unknown, Promise<Value>>();
  // It holds up to twice its size. Without its `maxAge`, as callers accept different ages, by a clock of their own.
  const maxSize = Math.ceil(entriesMax / 2);
  const entries = new QuickLRU<unknown, { value: Value; at: number }>({ maxSize });

  function peek(subject: Subject, ageMsMax: number): Value | undefined {
    const entry = entries.get(keyOf(subject));
    const ageMs = entry ? clock() - entry.at : -1;
    return ageMs >= 0 && ageMs < ageMsMax ? entry?.value : undefined;
  }

  async function loadAndStore(subject: Subject, requestId: string): Promise<Value> {
    const key = keyOf(subject);
    const startedAt = clock();
    const loading = load(subject, requestId);
    pending.set(key, loading);
    // A load that began before a drop may describe the state before the write.
    const isCurrent = () => pending.get(key) === loading;
    try {
      const value = await loading;
      if (isCurrent()) entries.set(key, { value, at: agesFromEnd ? clock() : startedAt });
      return value;
    } finally {
      if (isCurrent()) pending.delete(key);
    }
  }

  return {
    peek,
    async get(subject: Subject, { requestId = '', ageMsMax }: GetOptions): Promise<Value> {
      return peek(subject, ageMsMax) ?? pending.get(keyOf(subject)) ?? loadAndStore(subject, requestId);
    },
    drop(key: unknown) {
      for (const kept of [entries, pending]) kept.delete(key);
    },
  };
}
