/**
 * The Redis that several processes share, where REDIS_URL names one. Nothing waits for it: a command that cannot be sent
 * now fails now, and whoever sent it has another way.
 */
import { Redis } from 'ioredis';
import type { Log } from './log.ts';
import { Outage } from './outage.ts';

export type { Redis } from 'ioredis';

export interface SharedRedis {
  redis: Redis;
  /** Told of what fails and of what works again; connections tell it by themselves. */
  outage: Outage;
  stop(): void;
}

const options = {
  lazyConnect: true,
  keyPrefix: 'gamehost:',
  connectionName: 'gamehost',
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 2000,
  /** A connection that owes an answer for so long is dead, whatever TCP says. */
  socketTimeout: 1000,
  disconnectTimeout: 100,
  retryStrategy: (attempt: number) => Math.min(50 * 2 ** attempt, 1000),
  /** After a failover the same address may lead to a replica. */
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
};

/** Answers once Redis has, or once it is known to be away: then the service starts without, and it is looked for on. */
export async function openRedis(url: string, log: Log): Promise<SharedRedis> {
  const redis = new Redis(url, options);
  const outage = new Outage(log, {
    away: 'Redis is away: each process counts for itself until it is back',
    back: 'Redis is back: all processes count together',
  });
  redis.on('error', (failure) => outage.begin(failure));
  redis.on('close', () => outage.begin('the connection was closed'));
  redis.on('ready', () => outage.end());
  await redis.connect().catch((failure) => outage.begin(failure));
  const stop = () => {
    redis.removeAllListeners('close');
    redis.disconnect();
  };
  return { redis, outage, stop };
}
