/** Whether the Redis that processes share answers. */
import { withTimeout } from '../limit/with-timeout.ts';
import { createLog } from '../observability/log.ts';
import type { Finding } from './finding.ts';

const part = 'Redis';
const timeoutMs = 3_000;

export async function checkRedis(url: string | undefined): Promise<Finding> {
  if (url === undefined)
    return { part, state: 'off', message: 'REDIS_URL is not set, which is right for a single process' };
  const { openRedis } = await import('../redis.ts');
  const shared = await openRedis(url, createLog('silent'));
  try {
    await withTimeout(timeoutMs, shared.redis.ping());
    return { part, state: 'ok', message: 'answers' };
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    const advice = 'check REDIS_URL; until it answers, each process limits on its own';
    return { part, state: 'failed', message: `does not answer (${reason}): ${advice}` };
  } finally {
    shared.stop();
  }
}
