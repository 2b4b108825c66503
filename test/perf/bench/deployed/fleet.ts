/**
 * Both contenders as a host deploys them: two processes behind an nginx with server/nginx.conf, on one replica set of three
 * members and one Redis.
 */
import { findFreePort } from '../../../../server/embedded-database/free-port.ts';
import { startNginx } from '../../../support/nginx.ts';
import { startTestRedis } from '../../../support/redis.ts';
import { TestReplicaSet } from '../../../support/replica-set.ts';
import { type Bench, databaseName } from '../bench.ts';
import type { ServerName } from '../contenders.ts';
import type { Customers } from '../customers.ts';
import { fillDatabase, withDatabase } from '../data.ts';
import type { RunningServer } from '../environment.ts';
import { childrenOf } from '../machine.ts';

export interface Deployment {
  title: string;
  /** Of nginx. */
  url: string;
  pids: () => number[];
  /** Its workers. */
  nginxPids: number[];
  /** Stops a process and starts it again, as a release does: the other one works on. */
  replaceOne: () => Promise<void>;
}

export interface Fleet {
  deployments: Deployment[];
  customers: Customers;
  set: TestReplicaSet;
  close(): Promise<void>;
}

const contenders: { title: string; server: ServerName }[] = [
  { title: 'ours', server: 'ours' },
  { title: 'Fastify', server: 'fastify-native' },
];

/** The file's limits are for one network, and the load comes from one. */
const unlimited = (text: string) =>
  text
    .replace('rate=50r/s', 'rate=1000000r/s')
    .replace('burst=200', 'burst=100000')
    .replace('limit_conn connections 200', 'limit_conn connections 10000');

export async function openFleet(bench: Bench): Promise<Fleet> {
  const set = await TestReplicaSet.start();
  const redis = await startTestRedis();
  const uri = withDatabase(set.uri, databaseName);
  const customers = await fillDatabase(uri, { inPlay: bench.options.keys, idle: 0 });
  const settings = { MONGODB_URI: uri, REDIS_URL: redis.url, TRUST_PROXY: 'true' };
  const opened = await Promise.all(contenders.map((contender) => deploy(contender, bench, settings)));
  return {
    deployments: opened.map(({ deployment }) => deployment),
    customers,
    set,
    async close() {
      for (const { stop } of opened) await stop();
      await redis.stop();
      await set.stop();
    },
  };
}

async function deploy(
  { title, server }: (typeof contenders)[number],
  { environment }: Bench,
  settings: Record<string, string>,
) {
  const ports = [await findFreePort(), await findFreePort()];
  const start = (port: number) => environment.start(server, { databaseName, settings, port });
  const processes: RunningServer[] = await Promise.all(ports.map(start));
  const [first = '', ...others] = processes.map(({ url }) => new URL(url).host);
  const toAll = (text: string) =>
    text.replace(new RegExp(`^( *server )${first}(.*)$`, 'm'), (line, begin, end) =>
      [line, ...others.map((host) => `${begin}${host}${end}`)].join('\n'),
    );
  const nginx = await startNginx(`http://${first}`, (text) => unlimited(toAll(text)));
  const deployment: Deployment = {
    title,
    url: nginx.url,
    pids: () => processes.map(({ pid }) => pid),
    nginxPids: childrenOf(nginx.pid),
    async replaceOne() {
      const [old] = processes;
      await old?.stop();
      processes[0] = await start(ports[0] ?? 0);
    },
  };
  const stop = async () => {
    await nginx.stop();
    for (const running of processes) await running.stop();
  };
  return { deployment, stop };
}
