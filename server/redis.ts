/**
 * The Redis that several processes share, where REDIS_URL names one. Nobody waits for it: what cannot be asked now, or
 * does not answer soon, is answered by the process alone.
 */
import { Redis } from 'ioredis';
import { LateAnswer, within } from './limit/within.ts';
import type { Log } from './log.ts';
import { Outage } from './outage.ts';

export type { Redis } from 'ioredis';

const options = {
  lazyConnect: true,
  keyPrefix: 'gamehost:',
  connectionName: 'gamehost',
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 2000,
  /** A connection that owes an answer for so long is dead, whatever TCP says. */
  socketTimeout: 2000,
  disconnectTimeout: 100,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, 1000),
  /** After a failover the same address may lead to a replica. */
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
};

const patienceMs = 100;

export class SharedRedis {
  readonly redis: Redis;
  readonly #outage: Outage;

  constructor(url: string, log: Log) {
    this.#outage = new Outage(log, {
      away: 'Redis is away: each process counts for itself until it is back',
      back: 'Redis is back: all processes count together',
    });
    this.redis = new Redis(url, options)
      .on('error', (failure) => this.#outage.begin(failure))
      .on('close', () => this.#outage.begin('the connection was closed'))
      .on('ready', () => this.#outage.end());
  }

  /** Asks Redis, or the process alone while Redis cannot say. One late answer ends the connection: the next asks at once elsewhere. */
  async ask<Answer>(inRedis: () => Promise<Answer>, alone: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await within(patienceMs, inRedis());
      this.#outage.end();
      return answer;
    } catch (failure) {
      this.#outage.begin(failure);
      if (failure instanceof LateAnswer) this.redis.disconnect(true);
      return alone();
    }
  }

  stop(): void {
    this.redis.removeAllListeners('close');
    this.redis.disconnect();
  }
}

/** Answers once Redis has, or once it is known to be away: then the service starts without, and looks for it on. */
export async function openRedis(url: string, log: Log): Promise<SharedRedis> {
  const shared = new SharedRedis(url, log);
  // Why it failed is told by then.
  await shared.redis.connect().catch(() => {});
  return shared;
}
