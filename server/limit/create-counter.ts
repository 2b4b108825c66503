/** The counter of a process: its own, or one that it shares through Redis. */
import type { Clock } from '../../routers/ports.ts';
import type { SharedRedis } from '../redis.ts';
import type { Counter } from './counter.ts';
import { MemoryCounter } from './memory-counter.ts';
import { RedisCounter } from './redis-counter.ts';

interface Parts {
  clock: Clock;
  /** Null where the process is the only one. */
  shared: SharedRedis | null;
}

export function createCounter({ clock, shared }: Parts): Counter {
  const own = new MemoryCounter(clock);
  if (!shared) return own;
  const common = new RedisCounter(shared.redis);
  return {
    take: (id, calls, max) =>
      shared.ask(
        () => common.take(id, calls, max),
        async () => own.take(id, calls, max),
      ),
  };
}
