/**
 * Counts in Redis, for all processes at once: one script, which Redis runs whole and by its own clock.
 * koa-ratelimit's own script names calls by their microsecond, so that two of the same microsecond count once.
 */
import type { Redis } from '../redis.ts';
import { type Count, type Counter, windowMs } from './counter.ts';

const takeCalls = `
local calls, max, window_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + time[2] / 1000
local window = redis.call('HMGET', KEYS[1], 'taken', 'reset_seconds')
local taken, reset_seconds = tonumber(window[1]), tonumber(window[2])
if not taken or reset_seconds * 1000 <= now_ms then
  taken, reset_seconds = 0, math.ceil((now_ms + window_ms) / 1000)
end
local fits = taken + calls <= max
if fits and calls > 0 then
  taken = taken + calls
  redis.call('HSET', KEYS[1], 'taken', taken, 'reset_seconds', reset_seconds)
  redis.call('EXPIREAT', KEYS[1], reset_seconds)
end
local seconds_left = math.max(1, math.ceil(reset_seconds - now_ms / 1000))
return { fits and 1 or 0, math.max(0, max - taken), reset_seconds, seconds_left }
`;

type Reply = [fits: 0 | 1, left: number, resetSeconds: number, secondsLeft: number];

/** ioredis adds a defined command to the client, but not to its type. */
type Client = Redis & {
  takeCalls(key: string, values: [calls: number, max: number, durationMs: number]): Promise<Reply>;
};

export class RedisCounter implements Counter {
  readonly #client: Client;
  readonly #durationMs: number;

  /** @param durationMs how long a window is */
  constructor(redis: Redis, durationMs = windowMs) {
    redis.defineCommand('takeCalls', { numberOfKeys: 1, lua: takeCalls });
    this.#client = redis as Client;
    this.#durationMs = durationMs;
  }

  /** @throws when Redis cannot say */
  async take(id: string, calls: number, max: number): Promise<Count> {
    const reply = await this.#client.takeCalls(`limit:${id}`, [calls, max, this.#durationMs]);
    const [fits, left, resetSeconds, secondsLeft] = reply;
    return { fits: fits === 1, left, resetSeconds, secondsLeft };
  }
}
