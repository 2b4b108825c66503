/** A few at once, a short queue behind them, and an error for the rest, so that nobody waits for long. */
import pLimit from 'p-limit';
import { overloaded } from '../../routers/errors.ts';

interface QueueBounds {
  atOnce: number;
  queued: number;
}

export function createBoundedQueue({ atOnce, queued }: QueueBounds) {
  const limit = pLimit(atOnce);
  /** @throws overloaded */
  const requireCapacity = () => {
    if (limit.activeCount + limit.pendingCount >= atOnce + queued) throw overloaded();
  };
  return {
    requireCapacity,
    /** @throws overloaded, without having begun */
    async run<Result>(work: () => Promise<Result>): Promise<Result> {
      requireCapacity();
      return limit(work);
    },
  };
}
