/** Finds the MongoDB that has a data directory open: that of a running service, or the orphan of a killed one. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { dbPathOf, readPassword, readState } from './data-dir.ts';
import { isPortFree } from './free-port.ts';
import { launcherPidOf } from './mongod-process.ts';
import { type ReportProgress, StartError } from './progress.ts';
import { uriOn } from './replica-set.ts';
import { type MongodAddress, withMongoClient } from './with-mongo-client.ts';

/** The URI of the MongoDB that a running service has open on this data directory; null when there is none. */
export async function findRunningEmbedded(dataDir: string): Promise<string | null> {
  const running = await findRunning(dataDir);
  return running && isAlive(running.launcherPid) ? uriOn(running.address) : null;
}

/** @throws {StartError} when a running service uses the data */
export async function stopOrphan(dataDir: string, reportProgress: ReportProgress): Promise<void> {
  const running = await findRunning(dataDir);
  if (!running) return;
  if (isAlive(running.launcherPid)) {
    throw new StartError(
      `The service already runs on the data in ${dataDir} (process ${running.launcherPid}). ` +
        'Stop it, or set DATA_DIR to another directory.',
    );
  }
  reportProgress('Stopping the MongoDB that a killed service left running ...');
  await shutDown(dataDir, running.address);
}

/** The mongod on the stored port, if it uses this data directory and we launched it: the port may be another's by now. */
async function findRunning(dataDir: string) {
  const state = await readState(dataDir);
  if (!state || (await isPortFree(state.port))) return null;
  const address = { port: state.port, password: await readPassword(dataDir) };
  const options = await withMongoClient(address, getOptions).catch(() => null);
  const launcherPid = launcherPidOf(options?.processManagement?.pidFilePath);
  if (launcherPid === null || options?.storage?.dbPath !== (await dbPathOf(dataDir))) return null;
  return { address, launcherPid };
}

interface MongodOptions {
  storage?: { dbPath?: string };
  processManagement?: { pidFilePath?: string };
}

async function getOptions(client: mongo.MongoClient): Promise<MongodOptions> {
  const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
  return parsed;
}

/** A process that we may not signal (EPERM) is alive. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function shutDown(dataDir: string, address: MongodAddress): Promise<void> {
  const shutdown = { shutdown: 1, force: true, timeoutSecs: 1 };
  // mongod closes the connection without a reply, and may have been shutting down already.
  await withMongoClient(address, (client) => client.db('admin').command(shutdown)).catch(() => {});
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await delay(50)) {
    if (await isClosed(dataDir)) return;
  }
  throw new StartError(`The MongoDB that a killed service left on ${dataDir} does not stop; kill it.`);
}

/** mongod truncates its lock file as its last step. */
async function isClosed(dataDir: string): Promise<boolean> {
  return stat(join(await dbPathOf(dataDir), 'mongod.lock')).then(
    ({ size }) => size === 0,
    () => true,
  );
}
