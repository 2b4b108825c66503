/** What a measurement needs: MongoDB, the panel, Redis, the compiled peers, and each server as a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { lazy } from '../../../routers/support/memoize.ts';
import { findFreePort } from '../../../server/embedded-database/free-port.ts';
import { startTestRedis } from '../../support/redis.ts';
import { readStartArguments } from '../../support/start-command.ts';
import { peerNames, type ServerName } from './contenders.ts';
import type { Population } from './customers.ts';
import { closeNewTickets, fillDatabase, mongodbVersion, startDatabase } from './data.ts';
import { divideProcessors } from './machine.ts';
import type { Options } from './options.ts';

export const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

export type Environment = Awaited<ReturnType<typeof openEnvironment>>;

/** More than any load reaches. */
const unlimited = '1000000';

interface StartOptions extends Pick<ServerPlan, 'knock' | 'port'> {
  databaseName: string;
  settings?: Record<string, string>;
}

export async function openEnvironment(say: (line: string) => void, options: Options) {
  const [loadBefore = 0] = loadavg();
  const { serverPrefix, description } = divideProcessors();
  await buildPeers();
  const database = await startDatabase(say);
  const panel = await startServer({ command: commandOf('panel'), settings: {} });
  const filled = new Set<string>();
  const running: Pick<RunningServer, 'stop'>[] = [database, panel];
  /** Starts a command on one of the databases; `close` stops it. */
  const run = async (command: string[], { databaseName, settings, ...plan }: StartOptions) => {
    const common = { ...surroundings(panel), MONGODB_URI: database.uriOf(databaseName) };
    const starting = startServer({
      ...plan,
      command: [...serverPrefix, ...command],
      settings: { ...common, ...settings },
    });
    // Before it has started: another one may fail to, and the processes that are left would disturb what is measured next.
    running.push({ stop: () => starting.then((started) => started.stop(), ignore) });
    return starting;
  };
  const redisUrl = lazy(async () => {
    const redis = await startTestRedis();
    running.splice(1, 0, redis);
    return redis.url;
  });
  return {
    processors: description,
    loadBefore,
    mongodbVersion: await mongodbVersion(database.uriOf('admin')),
    async fill(databaseName: string, population: Population) {
      filled.add(databaseName);
      return fillDatabase(database.uriOf(databaseName), population);
    },
    /** A customer may have a hundred open tickets, which a load would soon reach. */
    closeNewTickets: () => Promise.all([...filled].map((name) => closeNewTickets(database.uriOf(name)))),
    uriOf: database.uriOf,
    run,
    /** Started on first use. */
    redisUrl,
    start: (server: ServerName, where: StartOptions) => run(commandOf(server, options), where),
    async close() {
      for (const server of running.toReversed()) await server.stop();
    },
  };
}

const ignore = () => {};

/** The settings that all servers share. */
const surroundings = (panel: RunningServer) => ({
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_PER_MINUTE: unlimited,
  ADDRESS_LIMIT_PER_MINUTE: unlimited,
  TICKETS_PER_DAY: '0',
  PANEL_URL: panel.url,
  PANEL_APPLICATION_KEY: 'ptla_bench',
  PANEL_CLIENT_KEY: 'ptlc_bench',
  // The stand-in has no workers to spare: with four calls at once, writes to MongoDB could not be made together.
  PANEL_NODE_CALLS: '64',
  PANEL_CALLS_PER_CUSTOMER: '0',
});

const outdir = join(projectDir, '.cache/bench');
const peersDir = join(projectDir, 'test/perf/bench/peers');

async function buildPeers(): Promise<void> {
  await build({
    entryPoints: peerNames.map((name) => join(peersDir, `${name}.ts`)),
    ...{ outdir, outExtension: { '.js': '.mjs' } },
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
    logLevel: 'warning',
  });
}

/** A process is idle while others are measured: V8 must keep its compiled code and its heap size until the next turn. */
const peerSettings = ['--enable-source-maps', '--no-memory-reducer', '--min-semi-space-size=16'];

/** Our own as npm start starts it; the peers as Node is started everywhere, but for that. */
export function commandOf(server: ServerName, specialities: Specialities = {}): string[] {
  const { profile, beforeNode } = specialities;
  const node = (server === 'before' && beforeNode) || process.execPath;
  const profiling = profile ? profilerArguments(server, resolve(profile)) : [];
  return [node, ...profiling, ...argumentsOf(server, specialities)];
}

/** Ours through tsx, for tests that must not depend on the last build; or as another checkout was built. */
function argumentsOf(server: ServerName, { fromSource, before }: Specialities): string[] {
  if (server === 'ours') return fromSource ? ['--import', 'tsx', 'server/main.ts'] : readStartArguments();
  if (server !== 'before' || !before) return [...peerSettings, join(outdir, `${server}.mjs`)];
  const args = readStartArguments(pathToFileURL(`${resolve(before)}/`));
  return [...args.slice(0, -1), resolve(before, args.at(-1) ?? '')];
}

/** A profile is written at an orderly end only, of which the peers know nothing. */
function profilerArguments(server: ServerName, dir: string): string[] {
  const name = `${server}-${Date.now()}.cpuprofile`;
  const ending = `data:text/javascript,process.once('SIGTERM',()=>process.exit())`;
  return [
    ...['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${name}`],
    ...(server === 'ours' ? [] : ['--import', ending]),
  ];
}

type Specialities = Pick<Partial<Options>, 'fromSource' | 'before' | 'beforeNode' | 'profile'>;

interface ServerPlan {
  /** Program and arguments. */
  command: string[];
  settings: Record<string, string>;
  /** The request whose answer says that it is up; every server has some answer to the usual one. */
  knock?: { path: string; headers?: Record<string, string> };
  /** A free one unless given. */
  port?: number;
}

export interface RunningServer {
  url: string;
  pid: number;
  /** From the start of the process to its first answer, and the status of that. */
  startMs: number;
  firstStatus: number;
  stop(): Promise<void>;
}

const knockEveryMs = 5;
/** Long: on a busy machine several servers start from source on one core. */
const giveUpAfterMs = 120_000;

/** Resolves once the server answers; what it complains of is shown. */
async function startServer({ command, settings, knock, port: given }: ServerPlan): Promise<RunningServer> {
  const port = given ?? (await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const { path, headers = {} } = knock ?? { path: '/api/v1/openapi.json' };
  const [program = '', ...args] = command;
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: projectDir,
    env: { PATH: process.env['PATH'], ...settings, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const firstStatus = await firstAnswer(child, () => fetch(url + path, { headers }));
  const startMs = performance.now() - startedAt;
  return { url, pid: child.pid ?? 0, startMs, firstStatus, stop: () => stop(child) };
}

async function firstAnswer(child: ChildProcess, ask: () => Promise<Response>): Promise<number> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer) return answer.status;
    const command = child.spawnargs.join(' ');
    const ending = child.exitCode ?? child.signalCode;
    if (ending !== null) throw new Error(`${command} ended with ${ending}`);
    if (performance.now() > giveUpAt) throw new Error(`${command} gave no answer in ${giveUpAfterMs} ms`);
    await delay(knockEveryMs);
  }
}

const killAfterMs = 5000;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await closed;
  clearTimeout(kill);
}
