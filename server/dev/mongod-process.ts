/** Launches one mongod as a child process that exits with this one, and collects its errors. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoInstance } from 'mongodb-memory-server';
import type { Mongod } from './mongod-binary.ts';
import { lastLine, StartError } from './progress.ts';

const commonArguments = [
  '--quiet',
  '--nounixsocket',
  // Shut down at once on a signal: there is no other member to hand over to.
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // Tests create and drop hundreds of databases, whose idle files would stay open for ten minutes, beyond the system's limit.
  ...['--wiredTigerEngineConfigString', 'file_manager=(close_idle_time=10,close_scan_interval=5)'],
];

/** Otherwise anyone on this machine could create the first user, as there is none in the data. */
const withoutBypass = ['--setParameter', 'enableLocalhostAuthBypass=false'];

export interface MongodLaunchOptions {
  mongod: Mongod;
  dbPath: string;
  port: number;
  /** Holds the password without which it answers nothing; anyone on this machine is served without a key file. */
  keyFile?: string;
  /** The version that last opened the data; another one may be unable to read it. */
  lastVersion?: string | undefined;
  /**
   * The replica set is set here and not by the package's own option: with that one a failed start sends `shutdown` to its
   * port, and stops whatever else listens there.
   */
  extraArguments?: string[];
}

/** Another mongod has the data or the port right now. */
export class InUseError extends StartError {}

/** @throws {StartError} with mongod's own reason, {InUseError} where waiting may help */
export async function launchMongod(options: MongodLaunchOptions): Promise<MongodProcess> {
  const { mongod, dbPath, port, keyFile, extraArguments = [] } = options;
  const access = keyFile === undefined ? [] : ['--keyFile', keyFile, ...withoutBypass];
  const args = [...commonArguments, '--pidfilepath', pidFileOf(dbPath), ...access, ...extraArguments];
  const mongodProcess = new MongodProcess({
    binary: { systemBinary: mongod.path, version: mongod.version },
    instance: {
      port,
      dbPath,
      ip: '127.0.0.1',
      storageEngine: 'wiredTiger',
      auth: keyFile !== undefined,
      launchTimeout: 60_000,
      args,
    },
    // Its own process group: Ctrl-C goes to the service only, which then stops mongod.
    spawn: { detached: true },
  });
  try {
    await mongodProcess.start();
    // mongod creates all of its files with 0600 but this one.
    await chmod(pidFileOf(dbPath), 0o600);
    return mongodProcess;
  } catch (error) {
    const reason = mongodProcess.firstError ?? lastLine(error);
    const Failure = /DBPathInUse|already in use/i.test(reason) ? InUseError : StartError;
    throw new Failure(describeFailure(options, reason), { cause: error });
  }
}

/** mongod returns its options to any client, and so this name tells who launched it. */
const pidFileOf = (dbPath: string) => join(dbPath, `mongod-of-${process.pid}.pid`);

/** The process that launched a mongod with this `--pidfilepath`; null when it was not this program. */
export function launcherPidOf(pidFilePath: unknown): number | null {
  const pid = /mongod-of-(\d+)\.pid$/.exec(String(pidFilePath))?.[1];
  return pid === undefined ? null : Number(pid);
}

function describeFailure({ mongod, dbPath, lastVersion }: MongodLaunchOptions, reason: string): string {
  const isOther = lastVersion !== undefined && lastVersion !== mongod.version;
  const history = isOther ? `, data of MongoDB ${lastVersion}` : '';
  return `MongoDB ${mongod.version} (${mongod.path}) did not start on ${dbPath}${history}: ${reason}`;
}

export class MongodProcess extends MongoInstance {
  /** The first error that mongod logged; later ones follow from it. */
  firstError: string | null = null;

  /** The package expects one JSON line per chunk of output; mongod may write several at once. */
  override stdoutHandler(output: string | Buffer): void {
    for (const line of output.toString().split('\n')) {
      this.firstError ??= parseError(line);
      super.stdoutHandler(line);
    }
  }
}

/** The message of a line with severity E or F (error, fatal) in mongod's JSON log. */
function parseError(line: string): string | null {
  if (!/"s":"[EF]"/.test(line)) return null;
  const fields = [/"msg":"((?:[^"\\]|\\.)*)"/, /"(?:error|errmsg)":"((?:[^"\\]|\\.)*)"/];
  return fields.flatMap((field) => field.exec(line)?.[1] ?? []).join(': ');
}
