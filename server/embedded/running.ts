/** Who has a data directory's MongoDB open right now: a living service to respect, or a dead one's leftover to stop. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { dbPathOf } from './data-dir.ts';
import { isFree } from './free-port.ts';
import { readRecord } from './kept-record.ts';
import { ownerOf } from './mongod-process.ts';
import { uriOn } from './replica-set.ts';
import { type Say, StartError } from './say.ts';
import { talkTo } from './talk.ts';

/** The URI of the MongoDB that a running service has open on this data directory; null when there is none. */
export async function findRunningEmbedded(dataDir: string): Promise<string | null> {
  const running = await findRunning(dataDir);
  return running && isAlive(running.ownerPid) ? uriOn(running.port) : null;
}

/** @throws {StartError} when a living process has the data open. */
export async function clearLeftover(dataDir: string, say: Say): Promise<void> {
  const running = await findRunning(dataDir);
  if (!running) return;
  if (isAlive(running.ownerPid)) {
    throw new StartError(
      `The service already runs on the data in ${dataDir} (process ${running.ownerPid}). ` +
        'Stop it, or set DATA_DIR to another directory.',
    );
  }
  say('Stopping the MongoDB that a killed service left behind ...');
  await stopLeftover(dataDir, running.port);
}

/** The mongod on the kept port, if it has this very data open and was launched here: the port may be another's by now. */
async function findRunning(dataDir: string) {
  const record = await readRecord(dataDir);
  if (!record || (await isFree(record.port))) return null;
  const options = await talkTo(record.port, askForOptions).catch(() => null);
  const ownerPid = ownerOf(options?.processManagement?.pidFilePath);
  if (ownerPid === null || options?.storage?.dbPath !== (await dbPathOf(dataDir))) return null;
  return { port: record.port, ownerPid };
}

interface MongodOptions {
  storage?: { dbPath?: string };
  processManagement?: { pidFilePath?: string };
}

async function askForOptions(client: mongo.MongoClient): Promise<MongodOptions> {
  const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
  return parsed;
}

/** A process we may not signal is alive all the same. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function stopLeftover(dataDir: string, port: number): Promise<void> {
  const shutdown = { shutdown: 1, force: true, timeoutSecs: 1 };
  // It hangs up instead of answering, and may have been on its way out already.
  await talkTo(port, (client) => client.db('admin').command(shutdown)).catch(() => {});
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await delay(50)) {
    if (await isClosed(dataDir)) return;
  }
  throw new StartError(`The MongoDB that a killed service left on ${dataDir} does not stop; end it by hand.`);
}

/** mongod empties its lock file as its very last act. */
async function isClosed(dataDir: string): Promise<boolean> {
  return stat(join(await dbPathOf(dataDir), 'mongod.lock')).then(
    ({ size }) => size === 0,
    () => true,
  );
}
