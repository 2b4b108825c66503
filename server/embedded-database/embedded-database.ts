/** Starts and stops the embedded MongoDB below DATA_DIR, and finds one that a running or killed service started. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { retry } from '../../models/support/retry.ts';
import { type ReportProgress, StartError } from '../progress.ts';
import { dbPathOf, ensurePassword, keyFileOf, readPassword, readState, writeState } from './data-dir.ts';
import { findFreePort, isPortFree } from './free-port.ts';
import {
  becomePrimary,
  InUseError,
  launcherPidOf,
  launchMongod,
  type MongodAddress,
  type MongodLaunchOptions,
  reconfigurePort,
  replicaSetArguments,
  replicaSetUriOf,
  withMongoClient,
} from './mongod.ts';
import type { Mongod } from './mongod-binary.ts';

interface EmbeddedOptions {
  dataDir: string;
  mongod: Mongod;
  reportProgress: ReportProgress;
  /** Called once if mongod exits unexpectedly. */
  onExit?: (() => void) | undefined;
}

/**
 * Resolves when the database accepts writes. `stop` keeps the data and leaves no mongod behind.
 * @throws {StartError} when a running service uses the data, or with mongod's reason
 */
export function startEmbedded(options: EmbeddedOptions) {
  // A retry helps if the mongod of a killed service is about to close its data. If another start came first, a retry recognizes it.
  const isInUse = (error: unknown) => error instanceof InUseError;
  return retry(() => startOnce(options), { pauseMs: 250, withinMs: 10_000, when: isInUse });
}

async function startOnce({ dataDir, mongod, reportProgress, onExit = () => {} }: EmbeddedOptions) {
  const dbPath = await dbPathOf(dataDir);
  await stopOrphan(dataDir, reportProgress);
  const password = await ensurePassword(dataDir);
  const state = await readState(dataDir);
  const port = await findFreePort(state?.port);
  const keyFile = keyFileOf(dataDir);
  const launchOptions = { mongod, dbPath, port, password, keyFile, lastVersion: state?.mongodVersion };
  if (state && port !== state.port) {
    reportProgress(
      `Port ${state.port} of the embedded MongoDB is in use by another program; moving to ${port} ...`,
    );
  }
  if (port !== state?.port) await moveToPort(launchOptions);
  const mongodProcess = await launchPrimary(launchOptions);
  mongodProcess.mongodProcess?.once('exit', onExit);
  await writeState(dataDir, { port, mongodVersion: mongod.version });
  return {
    uri: replicaSetUriOf({ port, password }),
    async stop() {
      mongodProcess.mongodProcess?.off('exit', onExit);
      await mongodProcess.stop();
    },
  };
}

type LaunchOptions = MongodLaunchOptions & MongodAddress;

/** Does nothing for a new data directory, which stores no port yet. */
async function moveToPort(options: LaunchOptions): Promise<void> {
  if ((await readdir(options.dbPath)).length === 0) return;
  const mongodProcess = await launchMongod(options);
  await reconfigurePort(options).finally(() => mongodProcess.stop());
}

async function launchPrimary(options: LaunchOptions) {
  const mongodProcess = await launchMongod({ ...options, extraArguments: replicaSetArguments });
  try {
    await becomePrimary(options);
    return mongodProcess;
  } catch (error) {
    await mongodProcess.stop().catch(() => {});
    throw error;
  }
}

export async function findRunningEmbedded(dataDir: string): Promise<string | null> {
  const running = await findRunning(dataDir);
  return running && isAlive(running.launcherPid) ? replicaSetUriOf(running.address) : null;
}

async function stopOrphan(dataDir: string, reportProgress: ReportProgress): Promise<void> {
  const running = await findRunning(dataDir);
  if (!running) return;
  if (isAlive(running.launcherPid)) {
    throw new StartError(
      `The service is already running on the data in ${dataDir} (process ${running.launcherPid}). ` +
        'Stop it, or set DATA_DIR to another directory.',
    );
  }
  reportProgress('Stopping the MongoDB that a killed service left running ...');
  await shutDown(dataDir, running.address);
}

/** Resolves to null if the stored port is free, or if its program is not a mongod that a service launched on this data. */
async function findRunning(dataDir: string) {
  const state = await readState(dataDir);
  if (!state || (await isPortFree(state.port))) return null;
  const address = { port: state.port, password: await readPassword(dataDir) };
  const options = await withMongoClient(address, (client) =>
    client.db('admin').command({ getCmdLineOpts: 1 }),
  ).catch(() => null);
  const launcherPid = launcherPidOf(options?.['parsed'].processManagement?.pidFilePath);
  if (launcherPid === null || options?.['parsed'].storage?.dbPath !== (await dbPathOf(dataDir))) return null;
  return { address, launcherPid };
}

/** EPERM means that the process is alive, but we must not signal it. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function shutDown(dataDir: string, address: MongodAddress): Promise<void> {
  const shutdown = { shutdown: 1, force: true, timeoutSecs: 1 };
  // mongod closes the connection without a reply, and may already be shutting down.
  await withMongoClient(address, (client) => client.db('admin').command(shutdown)).catch(() => {});
  await retry(() => requireClosed(dataDir), { pauseMs: 50, withinMs: 20_000, when: () => true });
}

/** mongod truncates its lock file as its last step. */
async function requireClosed(dataDir: string): Promise<void> {
  const lock = await stat(join(await dbPathOf(dataDir), 'mongod.lock')).catch(() => null);
  if (lock && lock.size > 0)
    throw new StartError(`The MongoDB that a killed service left on ${dataDir} does not stop; kill it.`);
}
