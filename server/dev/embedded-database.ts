/** Starts the embedded MongoDB below DATA_DIR, and stops it with the service. */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { dbPathOf, ensurePassword, keyFileOf, readState, writeState } from './data-dir.ts';
import { findFreePort } from './free-port.ts';
import type { Mongod } from './mongod-binary.ts';
import { InUseError, launchMongod, type MongodLaunchOptions } from './mongod-process.ts';
import { MongodSupervisor } from './mongod-supervisor.ts';
import type { ReportProgress } from './progress.ts';
import { becomePrimary, reconfigurePort, replicaSetArguments, uriOn } from './replica-set.ts';
import { stopOrphan } from './running-instance.ts';

export interface EmbeddedOptions {
  dataDir: string;
  mongod: Mongod;
  reportProgress: ReportProgress;
}

/**
 * Resolves when the database accepts writes. `stop` keeps the data and leaves no mongod behind.
 * @throws {StartError} when a running service uses the data, or with mongod's own reason
 */
export async function startEmbedded(options: EmbeddedOptions) {
  // The mongod of a killed service needs a moment to close its data, and a competing start to be recognized as one.
  for (const deadline = Date.now() + 10_000; ; await delay(250)) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (!(error instanceof InUseError) || Date.now() > deadline) throw error;
    }
  }
}

async function startOnce({ dataDir, mongod, reportProgress }: EmbeddedOptions) {
  const dbPath = await dbPathOf(dataDir);
  await stopOrphan(dataDir, reportProgress);
  // After that: an orphan of an earlier release has no password.
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
  const supervisor = await MongodSupervisor.start(() => launchPrimary(launchOptions), reportProgress);
  await writeState(dataDir, { port, mongodVersion: mongod.version });
  return { uri: uriOn({ port, password }), stop: () => supervisor.stop() };
}

interface LaunchOptions extends MongodLaunchOptions {
  password: string;
}

/** A new data directory has no port stored yet. */
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
    await mongodProcess.stop();
    throw error;
  }
}
