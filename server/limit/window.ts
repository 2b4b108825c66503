/** Counts events in windows of any length, with rate-limiter-flexible: for all processes in Redis, or in this one alone. */
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { SharedRedis } from '../redis.ts';

/** The events of one user, account or address in a window of time. */
export type Window = ReturnType<ReturnType<typeof createWindow>>;

interface WindowOptions {
  name: string;
  max: number;
  seconds: number;
  /** Counts for all processes; without it, and while it is away, each process counts alone. */
  shared: SharedRedis | null;
}

export function createWindow({ name, max, seconds, shared }: WindowOptions) {
  const options = { keyPrefix: name, points: max, duration: seconds };
  const own = new RateLimiterMemory(options);
  const common = shared && new RateLimiterRedis({ ...options, storeClient: shared.redis });
  const ask = <Result>(question: (limiter: RateLimiterAbstract) => Promise<Result>) =>
    shared && common
      ? shared.ask(
          () => question(common),
          () => question(own),
        )
      : question(own);
  return (key: string) => ({
    async count() {
      const { consumedPoints, msBeforeNext } = await ask((limiter) => limiter.penalty(key));
      return { fits: consumedPoints <= max, secondsLeft: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
    },
    async refund() {
      await ask((limiter) => limiter.reward(key));
    },
    async clear() {
      await ask((limiter) => limiter.delete(key));
    },
  });
}
