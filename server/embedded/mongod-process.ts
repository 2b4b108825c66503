/** One mongod as a child of this process: up when it listens, gone with us however we end, and heard when it fails. */
import { join } from 'node:path';
import { MongoInstance } from 'mongodb-memory-server';
import type { Mongod } from './mongod-binary.ts';
import { lastLine, StartError } from './say.ts';

const commonArguments = [
  '--quiet',
  '--nounixsocket',
  // A signal means now: there is no other member to hand over to.
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
];

export interface MongodPlace {
  mongod: Mongod;
  dbPath: string;
  port: number;
  /** The mongod that had the data open before; another release may not be able to read it. */
  lastVersion?: string | undefined;
  /**
   * What else mongod is told. The replica set is named here and not by the package's own option, with which a failed
   * start ends by sending `shutdown` to its port and so stops whoever else listens there.
   */
  extraArguments?: string[];
}

/** The data or the port is another mongod's, at least at this moment. */
export class BusyError extends StartError {}

/** @throws {StartError} with mongod's own reason, {BusyError} where waiting may help. */
export async function launchMongod(place: MongodPlace): Promise<MongodProcess> {
  const { mongod, dbPath, port, extraArguments = [] } = place;
  const args = [...commonArguments, '--pidfilepath', pidFileOf(dbPath), ...extraArguments];
  const mongodProcess = new MongodProcess({
    binary: { systemBinary: mongod.path, version: mongod.version },
    instance: { port, dbPath, ip: '127.0.0.1', storageEngine: 'wiredTiger', launchTimeout: 60_000, args },
    // A process group of its own: Ctrl-C in the terminal is for the service, which then stops mongod.
    spawn: { detached: true },
  });
  try {
    await mongodProcess.start();
    return mongodProcess;
  } catch (error) {
    const reason = mongodProcess.complaint ?? lastLine(error);
    const Failure = /DBPathInUse|already in use/i.test(reason) ? BusyError : StartError;
    throw new Failure(describeFailure(place, reason), { cause: error });
  }
}

/** mongod tells its options to whoever asks, and so, from its first moment on, whose it is. */
const pidFileOf = (dbPath: string) => join(dbPath, `mongod-of-${process.pid}.pid`);

/** The process that launched a mongod with this `--pidfilepath`; null when it was not launched here. */
export function ownerOf(pidFilePath: unknown): number | null {
  const owner = /mongod-of-(\d+)\.pid$/.exec(String(pidFilePath))?.[1];
  return owner === undefined ? null : Number(owner);
}

function describeFailure({ mongod, dbPath, lastVersion }: MongodPlace, reason: string): string {
  const isOther = lastVersion !== undefined && lastVersion !== mongod.version;
  const history = isOther ? `, data of MongoDB ${lastVersion}` : '';
  return `MongoDB ${mongod.version} (${mongod.path}) did not start on ${dbPath}${history}: ${reason}`;
}

export class MongodProcess extends MongoInstance {
  /** The first error mongod logged; those that follow are its consequences. */
  complaint: string | null = null;

  /** The package takes each piece of output for one line of JSON; mongod may hand over several at once. */
  override stdoutHandler(output: string | Buffer): void {
    for (const line of output.toString().split('\n')) {
      this.complaint ??= readComplaint(line);
      super.stdoutHandler(line);
    }
  }
}

/** A line of severity E or F (error, fatal) of mongod's JSON log, in words. */
function readComplaint(line: string): string | null {
  if (!/"s":"[EF]"/.test(line)) return null;
  const texts = [/"msg":"((?:[^"\\]|\\.)*)"/, /"(?:error|errmsg)":"((?:[^"\\]|\\.)*)"/];
  return texts.flatMap((text) => text.exec(line)?.[1] ?? []).join(': ');
}
