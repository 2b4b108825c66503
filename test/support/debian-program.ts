/** Where a program comes from: the PATH, else Debian's package, unpacked into a cache folder without being installed. */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface DebianProgram {
  packageName: string;
  /** Inside the package. */
  path: string;
}

export async function findDebianProgram(program: DebianProgram): Promise<string> {
  const name = basename(program.path);
  const cacheDir = fileURLToPath(new URL(`../../.cache/${name}`, import.meta.url));
  const cached = join(cacheDir, name);
  const isCached = await access(cached).then(
    () => true,
    () => false,
  );
  const explain = (cause: unknown): never => {
    const advice = `These tests need ${name}: install it, so that it is on the PATH.`;
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`${advice} None could be fetched: ${reason}`, { cause });
  };
  return (await findOnPath(name)) ?? (isCached ? cached : downloadPackage(program, cacheDir).catch(explain));
}

async function findOnPath(name: string): Promise<string | null> {
  const { stdout } = await run('/bin/sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${name} || true`]);
  return stdout.trim() || null;
}

/** apt verifies what it downloads. */
async function downloadPackage({ packageName, path }: DebianProgram, cacheDir: string): Promise<string> {
  const cached = join(cacheDir, basename(path));
  await mkdir(cacheDir, { recursive: true });
  const workDir = await mkdtemp(join(cacheDir, 'fetch-'));
  try {
    await run('apt-get', ['download', packageName], { cwd: workDir });
    const [file = ''] = await readdir(workDir);
    await run('dpkg-deb', ['--extract', file, 'unpacked'], { cwd: workDir });
    await rename(join(workDir, 'unpacked', path), cached);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
  return cached;
}
