/** The counter of a process: in memory, or in Redis with memory as the fallback. */
import { createBatcher } from '../../models/support/batcher.ts';
import type { Clock } from '../../routers/ports.ts';
import type { SharedRedis } from '../redis.ts';
import type { Count, Counter } from './counter.ts';
import { MemoryCounter } from './memory-counter.ts';
import { RedisCounter, type Take } from './redis-counter.ts';

interface Parts {
  clock: Clock;
  /** Null where this is the only process. */
  shared: SharedRedis | null;
}

/** Concurrent calls go to Redis as one command, because the command costs more than what it counts. */
export function createCounter({ clock, shared }: Parts): Counter {
  const memory = new MemoryCounter(clock);
  if (!shared) return memory;
  const redis = new RedisCounter(shared.redis);
  const takeInMemory = async (takes: Take[]) =>
    takes.map(({ id, calls, max }) => memory.take(id, calls, max));
  const take = createBatcher<Take, Count>((takes) =>
    shared.ask(
      () => redis.takeAll(takes),
      () => takeInMemory(takes),
    ),
  );
  return { take: (id, calls, max) => take({ id, calls, max }) };
}
