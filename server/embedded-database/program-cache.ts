/** Verifies the checksums of downloaded programs, and caches the programs in a folder. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export async function findCached(cacheDir: string, fileName: string): Promise<string | null> {
  const path = join(cacheDir, fileName);
  return access(path).then(
    () => path,
    () => null,
  );
}

/**
 * Atomic: even after a failure or with concurrent processes, the cache holds a complete program or none.
 * @param fetch writes the program into a new folder, and resolves to its path
 */
export async function cacheProgram(
  cacheDir: string,
  fileName: string,
  fetch: (workDir: string) => Promise<string>,
): Promise<string> {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir);
  const workDir = await mkdtemp(join(cacheDir, 'fetch-'));
  const path = join(cacheDir, fileName);
  try {
    await rename(await fetch(workDir), path);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
  return path;
}

/** Removes the folders of killed starts; the folder of a running start is less than an hour old. */
async function removeAbandoned(cacheDir: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(cacheDir)) {
    const path = join(cacheDir, name);
    if (!name.startsWith('fetch-') || (await stat(path)).mtimeMs > anHourAgo) continue;
    await rm(path, { recursive: true, force: true });
  }
}

export async function verifySha256(path: string, sha256: string | undefined): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  if (hash.digest('hex') !== sha256) throw new Error('the download has an unexpected checksum');
}
