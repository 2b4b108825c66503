/** The database of a service that was given none: kept below DATA_DIR, started and stopped with the service. */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { dbPathOf } from './data-dir.ts';
import { freePort } from './free-port.ts';
import { readRecord, writeRecord } from './kept-record.ts';
import { KeptUp } from './kept-up.ts';
import type { Mongod } from './mongod-binary.ts';
import { BusyError, launchMongod, type MongodPlace } from './mongod-process.ts';
import { becomePrimary, rememberPort, replicaSetArguments, uriOn } from './replica-set.ts';
import { clearLeftover } from './running.ts';
import type { Say } from './say.ts';

export interface EmbeddedOptions {
  dataDir: string;
  mongod: Mongod;
  say: Say;
}

/**
 * Resolves when the database takes writes. `stop` keeps the data and leaves no mongod behind.
 * @throws {StartError} when a living service has the data open, or with mongod's own reason.
 */
export async function startEmbedded(options: EmbeddedOptions) {
  // The mongod of a killed service takes a moment to close the data, and a rival one to be known as such.
  for (const giveUpAt = Date.now() + 10_000; ; await delay(250)) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (!(error instanceof BusyError) || Date.now() > giveUpAt) throw error;
    }
  }
}

async function startOnce({ dataDir, mongod, say }: EmbeddedOptions) {
  const dbPath = await dbPathOf(dataDir);
  await clearLeftover(dataDir, say);
  const record = await readRecord(dataDir);
  const port = await freePort(record?.port);
  const place = { mongod, dbPath, port, lastVersion: record?.mongodVersion };
  if (record && port !== record.port) {
    say(`Port ${record.port} of the embedded MongoDB is taken by another program; moving to ${port} ...`);
  }
  if (port !== record?.port) await moveTo(place);
  const kept = await KeptUp.start(() => launchPrimary(place), say);
  await writeRecord(dataDir, { port, mongodVersion: mongod.version });
  return { uri: uriOn(port), stop: () => kept.stop() };
}

/** New data has no port to forget. */
async function moveTo(place: MongodPlace): Promise<void> {
  if ((await readdir(place.dbPath)).length === 0) return;
  const mongodProcess = await launchMongod(place);
  await rememberPort(place.port).finally(() => mongodProcess.stop());
}

async function launchPrimary(place: MongodPlace) {
  const mongodProcess = await launchMongod({ ...place, extraArguments: replicaSetArguments });
  try {
    await becomePrimary(place.port);
    return mongodProcess;
  } catch (error) {
    await mongodProcess.stop();
    throw error;
  }
}
