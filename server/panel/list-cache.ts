/**
 * Remembers each user's list for a few seconds and lets callers who ask at the same time share one call,
 * because all our keys share one limit at the panel. A failure is shared, but never remembered.
 */
import type { Clock } from '../../routers/ports.ts';

interface ListCacheOptions<List> {
  /** The answer is handed to many callers: it must be frozen. */
  load(userId: number, requestId: string): Promise<List>;
  clock: Clock;
  listTtlMs: number;
  listsMax: number;
}

export function createListCache<List>({ load, clock, listTtlMs, listsMax }: ListCacheOptions<List>) {
  const underway = new Map<number, Promise<List>>();
  const kept = new Map<number, { list: List; askedAt: number }>();

  function isFresh({ askedAt }: { askedAt: number }) {
    const ageMs = clock() - askedAt;
    return ageMs >= 0 && ageMs < listTtlMs;
  }

  function keep(userId: number, list: List, askedAt: number) {
    kept.delete(userId);
    kept.set(userId, { list, askedAt });
    for (const [oldest, entry] of kept) {
      if (kept.size <= listsMax && isFresh(entry)) return;
      kept.delete(oldest);
    }
  }

  async function ask(userId: number, requestId: string) {
    const askedAt = clock();
    try {
      const list = await load(userId, requestId);
      keep(userId, list, askedAt);
      return list;
    } finally {
      underway.delete(userId);
    }
  }

  return async (userId: number, requestId: string): Promise<List> => {
    const entry = kept.get(userId);
    if (entry && isFresh(entry)) return entry.list;
    const shared = underway.get(userId) ?? ask(userId, requestId);
    underway.set(userId, shared);
    return shared;
  };
}
