/** Checks whether Redis answers and allows the commands of the limiter. */
import { TimeoutError, withTimeout } from '../limit/with-timeout.ts';
import { createLog } from '../observability/log.ts';
import type { Redis } from '../redis.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 3_000;

export async function checkRedis(url: string | undefined): Promise<Finding> {
  if (url === undefined)
    return { state: 'off', message: 'REDIS_URL is not set, which is right for a single process' };
  const { SharedRedis } = await import('../redis.ts');
  const { redis } = new SharedRedis(url, createLog('silent'));
  // A call on a failed connection rejects without the reason; only the error event has it.
  let cause: Error | undefined;
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    await withTimeout(timeoutMs, connectAndCount(redis));
    return { state: 'ok', message: 'answers' };
  } catch (failure) {
    return { state: 'failed', message: describe(cause ?? failure) };
  } finally {
    redis.disconnect();
  }
}

/** Runs the limiter's commands in a script, as the limiter does, on a key with our prefix that does not exist. */
async function connectAndCount(redis: Redis): Promise<void> {
  await redis.connect();
  await redis.eval(
    "redis.call('TIME') redis.call('HMGET', KEYS[1], 'counted') redis.call('EXPIREAT', KEYS[1], 0)",
    1,
    'check',
  );
}

function describe(failure: unknown): string {
  const reason = failure instanceof Error ? failure.message : String(failure);
  const advice = 'check REDIS_URL; until it can be used, each process limits on its own';
  if (failure instanceof TimeoutError) return `does not answer (${reason}): ${advice}`;
  if (/^(WRONGPASS|NOAUTH|ERR AUTH)/.test(reason)) return `refuses the password (${reason}): ${advice}`;
  if (reason.includes('NOPERM'))
    return `lacks rights that limits need, EVAL, TIME, HMGET, HSET and EXPIREAT of gamehost:* (${reason}): ${advice}`;
  return `cannot be reached (${reason}): ${advice}`;
}
