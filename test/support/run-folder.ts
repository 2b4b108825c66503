/** A folder shared by all workers of a run: the first worker that needs a slow artifact builds it there once. */
import { rmSync } from 'node:fs';
import { access, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';

/** In the main process before its workers start, which inherit the environment. */
export function mochaGlobalSetup(): void {
  process.env['TEST_RUN'] = String(process.pid);
}

/** Below the project's folder, so that packages are found from there. */
function runFolder(): string {
  process.env['TEST_RUN'] ??= String(process.pid); // a program outside a run of mocha
  return fileURLToPath(new URL(`../../.cache/run-${process.env['TEST_RUN']}/`, import.meta.url));
}

process.once('exit', () => {
  if (process.env['TEST_RUN'] === String(process.pid)) rmSync(runFolder(), { recursive: true, force: true });
});

const makingMaxMs = 120_000;

/**
 * Resolves with the folder, a slash at its end, in which `make` has left something in this run. A failure is not kept: the
 * next caller tries again.
 */
export async function onceARun(name: string, make: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = `${runFolder()}${name}/`;
  const [lock, draft] = [`${runFolder()}${name}.lock`, `${runFolder()}${name}.draft/`];
  await mkdir(runFolder(), { recursive: true });
  await eventually(() => mkdir(lock), makingMaxMs);
  try {
    if (await isThere(folder)) return folder;
    await rm(draft, { recursive: true, force: true }); // left by a try that failed
    await mkdir(draft);
    await make(draft);
    await rename(draft, folder);
    return folder;
  } finally {
    await rmdir(lock);
  }
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
