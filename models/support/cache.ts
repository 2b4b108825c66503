/**
 * The one cache, for values read from elsewhere. Each caller chooses the age that it accepts. The number of values is
 * bounded, and each key has one load at a time. Waiting calls share a load's failure, which is never cached.
 */
import QuickLRU from 'quick-lru';

export interface CacheOptions<Subject, Value> {
  /** Many callers share the result, so it must be frozen. */
  load(subject: Subject, requestId: string): Promise<Value>;
  /** Subjects with the same key share a value; by default the subject is the key. */
  keyOf?(subject: Subject): unknown;
  /** In milliseconds. */
  clock(): number;
  /** Beyond this, the least recently used ones are dropped. */
  entriesMax: number;
  /** By default, a value's age counts from the start of its load, because the value may be as old as that. */
  agesFromEnd?: boolean;
}

interface GetOptions {
  requestId?: string;
  ageMsMax: number;
}

export function createCache<Subject, Value>(options: CacheOptions<Subject, Value>) {
  const { load, keyOf = (subject: Subject) => subject, clock, entriesMax, agesFromEnd = false } = options;
  const pending = new Map<unknown, Promise<Value>>();
  // QuickLRU holds up to twice its size. Its `maxAge` is not used: callers accept different ages, by their own clock.
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
