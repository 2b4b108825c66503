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
  return shared ? insured(new RedisCounter(shared.redis), own, shared.outage) : own;
}

/** Counts with the others, or alone as long as that fails. */
function insured(common: Counter, own: Counter, outage: SharedRedis['outage']): Counter {
  return {
    async take(id, calls, max) {
      try {
        const count = await common.take(id, calls, max);
        outage.end();
        return count;
      } catch (failure) {
        outage.begin(failure);
        return own.take(id, calls, max);
      }
    },
  };
}
