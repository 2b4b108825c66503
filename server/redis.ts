/** The Redis that several processes share for rate limits. No API call fails because of Redis, or waits long for it. */
import { Redis } from 'ioredis';
import { TimeoutError, withTimeout } from './limit/with-timeout.ts';
import { type Log, OutageLog } from './observability/log.ts';

export type { Redis } from 'ioredis';

const options = {
  lazyConnect: true,
  keyPrefix: 'gamehost:',
  connectionName: 'gamehost',
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 2000,
  /** A connection with no response for this long is dead, whatever TCP reports. */
  socketTimeout: 2000,
  disconnectTimeout: 100,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, 1000),
  /** After a failover, the address may lead to a replica. */
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
};

const defaultResponseTimeoutMs = 100;

export class SharedRedis {
  readonly redis: Redis;
  readonly #outageLog: OutageLog;
  readonly #responseTimeoutMs: number;

  constructor(url: string, log: Log, responseTimeoutMs = defaultResponseTimeoutMs) {
    this.#responseTimeoutMs = responseTimeoutMs;
    this.#outageLog = new OutageLog(log, {
      outage: 'Redis is unavailable: each process limits on its own until it is back',
      recovery: 'Redis is back: limits are shared again',
    });
    this.redis = new Redis(url, options)
      .on('error', (error) => this.#outageLog.reportOutage(error))
      .on('close', () => this.#outageLog.reportOutage('the connection was closed'))
      .on('ready', () => this.#outageLog.reportRecovery());
  }

  /**
   * Runs a command in Redis, or the fallback while Redis is unavailable. After one late response it reconnects, so the next
   * calls use the fallback at once.
   */
  async runOrFallBack<Result>(
    inRedis: () => Promise<Result>,
    fallback: () => Promise<Result>,
  ): Promise<Result> {
    try {
      const result = await withTimeout(this.#responseTimeoutMs, inRedis());
      this.#outageLog.reportRecovery();
      return result;
    } catch (error) {
      this.#outageLog.reportOutage(error);
      if (error instanceof TimeoutError) this.redis.disconnect(true);
      return fallback();
    }
  }

  stop(): void {
    this.redis.removeAllListeners('close');
    this.redis.disconnect();
  }
}

/** Resolves when Redis is connected or known to be unavailable. If unavailable, the client reconnects in the background. */
export async function openRedis(url: string, log: Log, responseTimeoutMs?: number): Promise<SharedRedis> {
  const shared = new SharedRedis(url, log, responseTimeoutMs);
  // The error listener has logged the failure.
  await shared.redis.connect().catch(() => {});
  return shared;
}
