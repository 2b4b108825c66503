/** A folder for the tests of a `describe`, below the system's temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useStarted } from './use-started.ts';

export async function makeDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'gamehost-tests-'));
  return { path, stop: () => rm(path, { recursive: true, force: true }) };
}

/** Made before the tests, removed after them. */
export const useDirectory = () => useStarted(makeDirectory);
