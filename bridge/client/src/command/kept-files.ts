/** Files that only the user can read: the sign-ins, and the descriptions of hosts. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const configFolder = () => folderOf('XDG_CONFIG_HOME', '.config');
export const cacheFolder = () => folderOf('XDG_CACHE_HOME', '.cache');

/** The XDG Base Directory Specification ignores a relative path. */
function folderOf(variable: string, standard: string): string {
  const base = process.env[variable] ?? '';
  return join(isAbsolute(base) ? base : join(homedir(), standard), 'gamehost');
}

/** Resolves to null if there is no file, or a broken one. */
export async function readKept<Kept>(path: string): Promise<Kept | null> {
  try {
    await restrict(dirname(path), 0o700);
    await restrict(path, 0o600);
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (failure) {
    if (failure instanceof SyntaxError || codeOf(failure) === 'ENOENT') return null;
    throw failure;
  }
}

/** Replaces the file at once, so that a reader never sees a part of it. */
export async function writeKept(path: string, kept: unknown): Promise<void> {
  await makeFolder(path);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(kept), { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await restrict(dirname(path), 0o700);
}

/** It may have had other rights, or another program may have given it some. */
async function restrict(path: string, mode: number): Promise<void> {
  const isWider = ((await stat(path)).mode & 0o077) !== 0;
  if (isWider) await chmod(path, mode);
}

/** Longer than the longest change, so that only the lock of a killed process is stale. */
const staleMs = 30_000;
const retryMs = 50;

let changing: Promise<unknown> = Promise.resolve();

/** Resolves when this process changes no file. */
export const whenUnlocked = () => changing.catch(() => {});

/** Lets one process at a time change a file. */
export async function withLock<Result>(path: string, change: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`;
  await makeFolder(path);
  while (!(await takeLock(lock))) await pause(retryMs);
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  try {
    const changed = change();
    changing = changed;
    return await changed;
  } finally {
    process.off('exit', release);
    release();
  }
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, '', { mode: 0o600, flag: 'wx' });
    return true;
  } catch (failure) {
    if (codeOf(failure) !== 'EEXIST') throw failure;
  }
  const taken = await stat(lock).catch(() => null);
  if (taken && Date.now() - taken.mtimeMs > staleMs) await rm(lock, { force: true });
  return false;
}

const codeOf = (failure: unknown) => (failure as { code?: string }).code;
