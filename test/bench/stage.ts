/** Everything a measurement stands on: MongoDB, the panel, and servers that are started when first asked for. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../server/database.ts';
import { buildPeers, commandOf } from './build-peers.ts';
import type { ServerName } from './contenders.ts';
import { fillDatabase, withDatabase } from './data.ts';
import type { People, Population } from './people.ts';
import { divideProcessors } from './processors.ts';
import { projectDir, type RunningServer, startServer } from './servers.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Above what any load reaches. */
const unlimited = 1_000_000;

export async function openStage(say: (line: string) => void) {
  const { serverPrefix, description } = divideProcessors();
  await buildPeers();
  const dataDir = await mkdtemp(join(tmpdir(), 'gamehost-bench-'));
  const database = await openDatabase({
    ...{ mongodbUri: undefined, mongodSystemBinary: process.env['MONGOMS_SYSTEM_BINARY'] },
    ...{ dataDir, cacheDir: join(projectDir, '.cache/mongod'), say },
  });
  const panel = await startServer({ command: commandOf('panel'), settings: {} });
  const running: RunningServer[] = [panel];
  const settings = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    PANEL_URL: panel.url,
    PANEL_APPLICATION_KEY: 'ptla_bench',
    PANEL_CLIENT_KEY: 'ptlc_bench',
  };
  return {
    processors: description,
    fill: (name: string, population: Population): Promise<People> =>
      fillDatabase(withDatabase(database.uri, name), population),
    /** Starts a server on one of the databases. */
    async start(server: ServerName, databaseName: string, perMinute = unlimited): Promise<RunningServer> {
      const MONGODB_URI = withDatabase(database.uri, databaseName);
      const limits = { MONGODB_URI, RATE_LIMIT_PER_MINUTE: String(perMinute) };
      const command = [...serverPrefix, ...commandOf(server)];
      const started = await startServer({ command, settings: { ...settings, ...limits } });
      running.push(started);
      return started;
    },
    async close() {
      for (const server of running.toReversed()) await server.stop();
      await database.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
