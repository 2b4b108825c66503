/** Counts calls in windows of time, in this process or in Redis for all processes. */
import { setTimeout as pass } from 'node:timers/promises';
import QuickLRU from 'quick-lru';
import { rememberedCallersMax } from '../../models/bounds.ts';
import { createBatcher } from '../../models/support/batcher.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Redis, SharedRedis } from '../redis.ts';

/** Each key, such as a user or an address, has its own window, which starts with its first call. */
export interface Window {
  name: string;
  seconds: number;
  max: number;
}

export interface Count {
  /** False if the calls exceed the limit. None of them is then counted. */
  fits: boolean;
  left: number;
  /** In whole seconds since the epoch. */
  resetSeconds: number;
  /** Whole seconds until the end, at least 1. A caller that waits this long finds a new window. */
  secondsLeft: number;
}

interface Consumption {
  window: Window;
  id: string;
  calls: number;
}

export interface Limiter {
  /** With 0 calls, only reads the window. A negative number is a refund, which never exceeds the counted calls. */
  consume(window: Window, key: string, calls: number): Count | Promise<Count>;
}

interface LimiterOptions {
  clock: Clock;
  /** Null where this is the only process. While Redis is unavailable, each process counts alone. */
  shared: SharedRedis | null;
}

/** The pause between Redis commands under load. Calls made meanwhile share the next command, which is cheaper. */
const pauseMs = 1;

export function createLimiter({ clock, shared }: LimiterOptions): Limiter {
  const memory = new MemoryWindows(clock);
  if (!shared) return { consume: (window, key, calls) => memory.consume(toConsumption(window, key, calls)) };
  const redis = new RedisWindows(shared.redis);
  const consumeTogether = createBatcher<Consumption, Count>(
    (consumptions) =>
      shared.runOrFallBack(
        () => redis.consumeAll(consumptions),
        async () => consumptions.map((each) => memory.consume(each)),
      ),
    () => pass(pauseMs),
  );
  return { consume: (window, key, calls) => consumeTogether(toConsumption(window, key, calls)) };
}

const toConsumption = (window: Window, key: string, calls: number): Consumption => ({
  window,
  id: `${window.name}:${key}`,
  calls,
});

interface CountedWindow {
  counted: number;
  /** In whole seconds since the epoch, rounded up: a client that waits until then is admitted. */
  resetSeconds: number;
}

/** Windows in this process, by its clock. The least recently used are forgotten, so that memory is bounded. */
export class MemoryWindows {
  readonly #windows: QuickLRU<string, CountedWindow>;
  readonly #clock: Clock;

  constructor(clock: Clock, maxSize = rememberedCallersMax) {
    this.#clock = clock;
    this.#windows = new QuickLRU({ maxSize });
  }

  consume({ window: { seconds, max }, id, calls }: Consumption): Count {
    const now = this.#clock();
    const known = this.#windows.get(id);
    const isNew = !known || known.resetSeconds * 1000 <= now;
    const window = isNew ? { counted: 0, resetSeconds: Math.ceil(now / 1000 + seconds) } : known;
    const fits = calls < 0 || window.counted + calls <= max;
    if (fits && calls !== 0) {
      window.counted = Math.max(0, window.counted + calls);
      if (isNew) this.#windows.set(id, window);
    }
    const secondsLeft = Math.max(1, Math.ceil(window.resetSeconds - now / 1000));
    return { fits, left: Math.max(0, max - window.counted), resetSeconds: window.resetSeconds, secondsLeft };
  }
}

const consumeCalls = `
local time = redis.call('TIME')
local now_seconds = time[1] + time[2] / 1000000
local counts = {}
for index, key in ipairs(KEYS) do
  local at = 3 * index - 2
  local calls, max, seconds = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local window = redis.call('HMGET', key, 'counted', 'reset_seconds')
  local counted, reset_seconds = tonumber(window[1]), tonumber(window[2])
  if not counted or reset_seconds <= now_seconds then
    counted, reset_seconds = 0, math.ceil(now_seconds + seconds)
  end
  local fits = calls < 0 or counted + calls <= max
  if fits and calls ~= 0 then
    counted = math.max(0, counted + calls)
    redis.call('HSET', key, 'counted', counted, 'reset_seconds', reset_seconds)
    redis.call('EXPIREAT', key, reset_seconds)
  end
  local seconds_left = math.max(1, math.ceil(reset_seconds - now_seconds))
  counts[index] = { fits and 1 or 0, math.max(0, max - counted), reset_seconds, seconds_left }
end
return counts
`;

type RedisCount = [fits: 0 | 1, left: number, resetSeconds: number, secondsLeft: number];

/** ioredis adds a defined command to the client but not to its type. */
type Client = Redis & {
  consumeCalls(keyCount: number, ...keysAndValues: (string | number)[]): Promise<RedisCount[]>;
};

/**
 * Windows in Redis, for all processes: one script per batch of calls, which Redis runs atomically and by its own clock.
 * Not koa-ratelimit's script, which identifies calls by their microsecond and counts two in the same one as one.
 */
export class RedisWindows {
  readonly #client: Client;

  constructor(redis: Redis) {
    redis.defineCommand('consumeCalls', { lua: consumeCalls });
    this.#client = redis as Client;
  }

  /** The script counts in order, so a batch may contain an id more than once. @throws when Redis does not respond */
  async consumeAll(consumptions: readonly Consumption[]): Promise<Count[]> {
    const keys = consumptions.map(({ id }) => `limit:${id}`);
    const values = consumptions.flatMap(({ calls, window }) => [calls, window.max, window.seconds]);
    const counts = await this.#client.consumeCalls(keys.length, ...keys, ...values);
    return counts.map(([fits, left, resetSeconds, secondsLeft]) => {
      return { fits: fits === 1, left, resetSeconds, secondsLeft };
    });
  }
}
