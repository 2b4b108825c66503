/** What a measurement needs: MongoDB, the panel, Redis, the compiled peers, and the processor of each process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { lazy } from '../../../routers/lazy.ts';
import { openDatabase } from '../../../server/database.ts';
import { startTestRedis } from '../../support/redis.ts';
import { buildPeers, commandOf, installTrpcToMcp, specialCommandOf } from './build-peers.ts';
import type { ServerName } from './contenders.ts';
import type { Population } from './customers.ts';
import { fillDatabase, mongodbVersion, withDatabase } from './data.ts';
import type { Options } from './options.ts';
import { divideProcessors } from './processors.ts';
import { projectDir, type RunningServer, type ServerPlan, startServer } from './servers.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** More than any load reaches. */
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
  const running: Pick<RunningServer, 'stop'>[] = [panel];
  /** Starts a command on one of the databases; `close` stops it. */
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
  const redisUrl = lazy(async () => {
    const redis = await startTestRedis();
    running.unshift(redis);
    return redis.url;
  });
  return {
    processors: description,
    loadBefore,
    mongodbVersion: await mongodbVersion(uri),
    hasTrpcToMcp: installTrpcToMcp,
    fill: (databaseName: string, population: Population) =>
      fillDatabase(withDatabase(uri, databaseName), population),
    run,
    /** Started on first use. */
    redisUrl,
    start: (server: ServerName, where: StartOptions) => run(specialCommandOf(server, options), where),
    async close() {
      for (const server of running.toReversed()) await server.stop();
      await stopDatabase();
    },
  };
}

/** A separate MongoDB, whose data is deleted at the end. */
async function startDatabase(say: (line: string) => void) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gamehost-bench-'));
  const database = await openDatabase({
    mongodSystemBinary: process.env['MONGOMS_SYSTEM_BINARY'],
    ...{ dataDir, cacheDir: join(projectDir, '.cache/mongod'), reportProgress: say },
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
