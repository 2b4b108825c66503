/** One mongod on this machine: a child process that exits with ours, and a replica set of one, because transactions need one. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoInstance } from 'mongodb-memory-server-core';
import { mongo } from 'mongoose';
import { lastLine, StartError } from '../progress.ts';
import type { Mongod } from './mongod-binary.ts';

const commonArguments = [
  '--quiet',
  '--nounixsocket',
  // mongod shuts down at once on a signal: there is no second member to hand over to.
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  // Tests create and drop hundreds of databases. Their idle files would stay open for ten minutes and exceed the system's limit.
  ...['--wiredTigerEngineConfigString', 'file_manager=(close_idle_time=10,close_scan_interval=5)'],
];

/** The data has no user, so with the localhost bypass anyone on this machine could create the first one. */
const withoutBypass = ['--setParameter', 'enableLocalhostAuthBypass=false'];

export interface MongodLaunchOptions {
  mongod: Mongod;
  dbPath: string;
  port: number;
  /** Holds the password that mongod requires. Without a key file, mongod serves anyone on this machine. */
  keyFile?: string;
  /** The version that last opened the data; another may be unable to read it. */
  lastVersion?: string | undefined;
  /**
   * Names the replica set, instead of the package's own option. With that option, a failed start sends `shutdown` to the port,
   * and stops any other mongod that listens there.
   */
  extraArguments?: string[];
}

/** Another mongod uses the data or the port at the moment. */
export class InUseError extends StartError {}

/** @throws {StartError} with mongod's reason; an {InUseError} if waiting may help */
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
    // mongod has its own process group, so that Ctrl-C reaches only the service, which then stops it.
    spawn: { detached: true },
  });
  try {
    await mongodProcess.start();
    // mongod creates all its files with 0600 except this one.
    await chmod(pidFileOf(dbPath), 0o600);
    return mongodProcess;
  } catch (error) {
    const reason = mongodProcess.firstError ?? lastLine(error);
    const Failure = /DBPathInUse|already in use/i.test(reason) ? InUseError : StartError;
    throw new Failure(describeFailure(options, reason), { cause: error });
  }
}

/** The name contains our process id, which a later start reads from the options of a running mongod. */
const pidFileOf = (dbPath: string) => join(dbPath, `mongod-of-${process.pid}.pid`);

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

  /** The package expects one JSON line per chunk of output, but mongod may write several at once. */
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

export interface MongodAddress {
  port: number;
  password: string | null;
}

/** @param rest path and query. With a key file, mongod has the built-in user `__system`, so we need not create one */
const uriOf = ({ port, password }: MongodAddress, rest: string): string =>
  password
    ? `mongodb://__system:${password}@127.0.0.1:${port}${rest}&authSource=local`
    : `mongodb://127.0.0.1:${port}${rest}`;

/** @throws when no MongoDB answers on the port within two seconds */
export function withMongoClient<Result>(
  address: MongodAddress,
  work: (client: mongo.MongoClient) => Promise<Result>,
): Promise<Result> {
  const client = new mongo.MongoClient(uriOf(address, '/?directConnection=true'), {
    serverSelectionTimeoutMS: 2000,
    // Without this, a program that accepts the connection and never answers would keep this process alive for 30 s.
    connectTimeoutMS: 2000,
  });
  return client
    .connect()
    .then(work)
    .finally(() => client.close());
}

const replicaSetName = 'gamehost';

export const replicaSetArguments = ['--replSet', replicaSetName];

export const replicaSetUriOf = (address: MongodAddress) =>
  uriOf(address, `/gamehost?replicaSet=${replicaSetName}`);

const hostOn = (port: number) => `127.0.0.1:${port}`;

export async function becomePrimary(address: MongodAddress): Promise<void> {
  const members = [{ _id: 0, host: hostOn(address.port) }];
  const initiate = { replSetInitiate: { _id: replicaSetName, members } };
  await withMongoClient(address, (client) => client.db('admin').command(initiate)).catch((error) => {
    // A check in advance would be wrong: a member that is still loading its configuration reports that it has none.
    if (error.codeName !== 'AlreadyInitialized') throw error;
  });
  const client = new mongo.MongoClient(replicaSetUriOf(address), { serverSelectionTimeoutMS: 30_000 });
  await client.connect().finally(() => client.close());
}

/**
 * Stores another port in the replica set's configuration: a member that does not find its address there never becomes primary.
 * Needs a mongod that was started without `--replSet`.
 */
export async function reconfigurePort(address: MongodAddress): Promise<void> {
  const change = { $set: { 'members.0.host': hostOn(address.port) } };
  await withMongoClient(address, (client) =>
    client
      .db('local')
      .collection<{ _id: string }>('system.replset')
      .updateOne({ _id: replicaSetName }, change),
  );
}
