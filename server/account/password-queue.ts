/** Bounds password hashing, which takes tens of milliseconds of CPU and 19 MiB each. */
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { overloaded } from '../../routers/errors.ts';
import type { AccountLimits } from '../../routers/ports.ts';

/** The threads of libuv's pool, which hash; one core is left to everything else. */
const threadsMax = 4;
/** A full queue takes about a second. */
const queuedPerThread = 16;

/** Hashes a few passwords at once, keeps a short queue, and refuses the rest. */
export function createPasswordQueue(): Pick<AccountLimits, 'requireHashingCapacity' | 'hashPassword'> {
  const threads = Math.max(1, Math.min(threadsMax, availableParallelism() - 1));
  const limit = pLimit(threads);
  const requireHashingCapacity = () => {
    if (limit.activeCount + limit.pendingCount >= threads * (1 + queuedPerThread)) throw overloaded();
  };
  return {
    requireHashingCapacity,
    async hashPassword(work) {
      requireHashingCapacity();
      return limit(work);
    },
  };
}
