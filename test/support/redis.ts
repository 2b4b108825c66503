/** A real Redis for a test, which can be killed, frozen, and restarted on the same port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { findFreePort } from '../../server/embedded-database/free-port.ts';
import { createLog, type Log } from '../../server/observability/log.ts';
import { openRedis } from '../../server/redis.ts';
import { findRedisServer } from './programs.ts';

export type TestRedis = Awaited<ReturnType<typeof startTestRedis>>;

/** Starts a Redis that keeps nothing on disk; `stop()` it in `after`. The first run may download it. */
export async function startTestRedis() {
  const path = await findRedisServer();
  const port = await findFreePort();
  let server = await launch(path, port);
  return {
    url: `redis://127.0.0.1:${port}`,
    /** Kills it at once; all data is lost. */
    async kill() {
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    },
    async restart() {
      server = await launch(path, port);
    },
    /** It accepts connections and sends nothing until `thaw()`. */
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      await this.kill();
    },
  };
}

/** A connection with long timeouts, as a slow machine does not make Redis unavailable. */
export const openPatiently = (url: string, log: Log = createLog('silent')) => openRedis(url, log, 60_000);

async function launch(path: string, port: number): Promise<ChildProcess> {
  const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no' };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn(path, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(server.stdout)) {
    if (!line.includes('Ready to accept connections')) continue;
    server.stdout.resume();
    return server;
  }
  throw new Error('redis-server ended before it was ready');
}
