/** The Redis that several processes share for rate limits. A call never fails or waits long for it. */
import { Redis } from 'ioredis';
import { TimeoutError, withTimeout } from './limit/with-timeout.ts';
import type { Log } from './observability/log.ts';
import { OutageLog } from './observability/outage-log.ts';

export type { Redis } from 'ioredis';

const options = {
  lazyConnect: true,
  keyPrefix: 'gamehost:',
  connectionName: 'gamehost',
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 2000,
  /** A connection with no reply for this long is dead, whatever TCP says. */
  socketTimeout: 2000,
  disconnectTimeout: 100,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, 1000),
  /** After a failover the address may lead to a replica. */
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
};

const replyTimeoutMs = 100;

export class SharedRedis {
  readonly redis: Redis;
  readonly #outageLog: OutageLog;

  constructor(url: string, log: Log) {
    this.#outageLog = new OutageLog(log, {
      away: 'Redis is away: each process limits on its own until it is back',
      back: 'Redis is back: limits are shared again',
    });
    this.redis = new Redis(url, options)
      .on('error', (error) => this.#outageLog.reportAway(error))
      .on('close', () => this.#outageLog.reportAway('the connection was closed'))
      .on('ready', () => this.#outageLog.reportBack());
  }

  /**
   * Asks Redis, and the fallback while Redis is away. After one late reply it reconnects, so that the next calls use the
   * fallback at once; rate-limiter-flexible's insurance limiter would wait for each of them.
   */
  async ask<Result>(inRedis: () => Promise<Result>, fallback: () => Promise<Result>): Promise<Result> {
    try {
      const result = await withTimeout(replyTimeoutMs, inRedis());
      this.#outageLog.reportBack();
      return result;
    } catch (error) {
      this.#outageLog.reportAway(error);
      if (error instanceof TimeoutError) this.redis.disconnect(true);
      return fallback();
    }
  }

  stop(): void {
    this.redis.removeAllListeners('close');
    this.redis.disconnect();
  }
}

/** Resolves when Redis is connected or known to be away; in that case it reconnects in the background. */
export async function openRedis(url: string, log: Log): Promise<SharedRedis> {
  const shared = new SharedRedis(url, log);
  // The failure is in the log by then.
  await shared.redis.connect().catch(() => {});
  return shared;
}
