/** Everything a measurement stands on: MongoDB, the panel, the compiled peers, and where each process runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../server/database.ts';
import { buildPeers, commandOf, installTrpcToMcp, specialCommandOf } from './build-peers.ts';
import type { ServerName } from './contenders.ts';
import { fillDatabase, mongodbVersion, withDatabase } from './data.ts';
import type { Options } from './options.ts';
import type { Population } from './people.ts';
import { divideProcessors } from './processors.ts';
import { projectDir, type RunningServer, type ServerPlan, startServer } from './servers.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Above what any load reaches. */
const unlimited = '1000000';

interface StartOptions extends Pick<ServerPlan, 'knock'> {
  databaseName: string;
  settings?: Record<string, string>;
}

export async function openStage(say: (line: string) => void, options: Options) {
  const [loadBefore = 0] = loadavg();
  const { serverPrefix, description } = divideProcessors();
  await buildPeers();
  const { uri, stop: stopDatabase } = await startDatabase(say);
  const panel = await startServer({ command: commandOf('panel'), settings: {} });
  const running: RunningServer[] = [panel];
  /** Starts a command on one of the databases; it is stopped with the stage at the latest. */
  const run = async (command: string[], { databaseName, settings, ...plan }: StartOptions) => {
    const common = { ...surroundings(panel), MONGODB_URI: withDatabase(uri, databaseName) };
    const started = await startServer({
      ...plan,
      command: [...serverPrefix, ...command],
      settings: { ...common, ...settings },
    });
    running.push(started);
    return started;
  };
  return {
    processors: description,
    loadBefore,
    mongodbVersion: await mongodbVersion(uri),
    hasTrpcToMcp: installTrpcToMcp,
    fill: (databaseName: string, population: Population) =>
      fillDatabase(withDatabase(uri, databaseName), population),
    run,
    start: (server: ServerName, where: StartOptions) => run(specialCommandOf(server, options), where),
    async close() {
      for (const server of running.toReversed()) await server.stop();
      await stopDatabase();
    },
  };
}

/** A MongoDB of the benchmark's own, whose data goes with it. */
async function startDatabase(say: (line: string) => void) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gamehost-bench-'));
  const database = await openDatabase({
    mongodSystemBinary: process.env['MONGOMS_SYSTEM_BINARY'],
    ...{ dataDir, cacheDir: join(projectDir, '.cache/mongod'), say },
  });
  const stop = async () => {
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { uri: database.uri, stop };
}

/** The settings that all servers share. */
const surroundings = (panel: RunningServer) => ({
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_MINUTE: unlimited,
  PANEL_URL: panel.url,
  PANEL_APPLICATION_KEY: 'ptla_bench',
  PANEL_CLIENT_KEY: 'ptlc_bench',
});
