/**
 * Counts in Redis for all processes: one script per batch of calls, which Redis runs atomically and by its own clock.
 * Not koa-ratelimit's script: it identifies calls by their microsecond and counts two of the same one once.
 */
import type { Redis } from '../redis.ts';
import { type Count, windowMs } from './counter.ts';

const takeCalls = `
local window_ms = tonumber(ARGV[1])
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + time[2] / 1000
local counts = {}
for index, key in ipairs(KEYS) do
  local calls, max = tonumber(ARGV[2 * index]), tonumber(ARGV[2 * index + 1])
  local window = redis.call('HMGET', key, 'taken', 'reset_seconds')
  local taken, reset_seconds = tonumber(window[1]), tonumber(window[2])
  if not taken or reset_seconds * 1000 <= now_ms then
    taken, reset_seconds = 0, math.ceil((now_ms + window_ms) / 1000)
  end
  local fits = taken + calls <= max
  if fits and calls ~= 0 then
    taken = math.max(0, taken + calls)
    redis.call('HSET', key, 'taken', taken, 'reset_seconds', reset_seconds)
    redis.call('EXPIREAT', key, reset_seconds)
  end
  local seconds_left = math.max(1, math.ceil(reset_seconds - now_ms / 1000))
  counts[index] = { fits and 1 or 0, math.max(0, max - taken), reset_seconds, seconds_left }
end
return counts
`;

/** The arguments of `Counter.take`. */
export interface Take {
  id: string;
  calls: number;
  max: number;
}

type Reply = [fits: 0 | 1, left: number, resetSeconds: number, secondsLeft: number];

/** ioredis adds a defined command to the client but not to its type. */
type Client = Redis & {
  takeCalls(keyCount: number, ...keysAndValues: (string | number)[]): Promise<Reply[]>;
};

export class RedisCounter {
  readonly #client: Client;
  readonly #durationMs: number;

  /** @param durationMs the length of a window */
  constructor(redis: Redis, durationMs = windowMs) {
    redis.defineCommand('takeCalls', { lua: takeCalls });
    this.#client = redis as Client;
    this.#durationMs = durationMs;
  }

  /**
   * Takes one after the other, so that calls with the same id share a window.
   * @returns one count per take, in the same order
   * @throws when Redis does not answer
   */
  async takeAll(takes: readonly Take[]): Promise<Count[]> {
    const keys = takes.map(({ id }) => `limit:${id}`);
    const values = takes.flatMap(({ calls, max }) => [calls, max]);
    const replies = await this.#client.takeCalls(keys.length, ...keys, this.#durationMs, ...values);
    return replies.map(([fits, left, resetSeconds, secondsLeft]) => {
      return { fits: fits === 1, left, resetSeconds, secondsLeft };
    });
  }
}
