/** The counter of a process: in memory, or in Redis with memory as the fallback. */
import { setTimeout as pass } from 'node:timers/promises';
import { createBatcher } from '../../models/support/batcher.ts';
import type { Clock } from '../../routers/ports.ts';
import type { SharedRedis } from '../redis.ts';
import type { Count, Counter } from './counter.ts';
import { FullWindows } from './full-windows.ts';
import { MemoryCounter } from './memory-counter.ts';
import { RedisCounter, type Take } from './redis-counter.ts';

interface Parts {
  clock: Clock;
  /** Null where this is the only process. */
  shared: SharedRedis | null;
}

/** Between two commands under load; less than the lookup of a key in MongoDB takes, which runs meanwhile. */
const pauseMs = 1;

/** Concurrent calls go to Redis as one command, because the command costs more than what it counts. */
export function createCounter({ clock, shared }: Parts): Counter {
  const memory = new MemoryCounter(clock);
  if (!shared) return memory;
  const redis = new RedisCounter(shared.redis);
  const full = new FullWindows();
  const takeInRedis = async (takes: Take[]) => {
    const counts = await redis.takeAll(takes);
    takes.forEach((take, index) => void full.report(take, counts[index] as Count)); // one count per take
    return counts;
  };
  const takeInMemory = async (takes: Take[]) =>
    takes.map(({ id, calls, max }) => memory.take(id, calls, max));
  const take = createBatcher<Take, Count>(
    (takes) =>
      shared.ask(
        () => takeInRedis(takes),
        () => takeInMemory(takes),
      ),
    () => pass(pauseMs),
  );
  return { take: (id, calls, max) => full.refusalOf({ id, calls, max }) ?? take({ id, calls, max }) };
}
