/** Where nginx comes from: the PATH, else Debian's package, unpacked into a cache folder without being installed. */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const cacheDir = fileURLToPath(new URL('../../.cache/nginx', import.meta.url));
const cached = join(cacheDir, 'nginx');

export async function findNginx(): Promise<string> {
  const isCached = await access(cached).then(
    () => true,
    () => false,
  );
  return (await findOnPath()) ?? (isCached ? cached : downloadPackage().catch(explain));
}

async function findOnPath(): Promise<string | null> {
  const { stdout } = await run('/bin/sh', ['-c', 'PATH=$PATH:/usr/sbin command -v nginx || true']);
  return stdout.trim() || null;
}

/** apt verifies what it downloads. */
async function downloadPackage(): Promise<string> {
  await mkdir(cacheDir, { recursive: true });
  const workDir = await mkdtemp(join(cacheDir, 'fetch-'));
  try {
    await run('apt-get', ['download', 'nginx'], { cwd: workDir });
    const [file = ''] = await readdir(workDir);
    await run('dpkg-deb', ['--extract', file, 'unpacked'], { cwd: workDir });
    await rename(join(workDir, 'unpacked/usr/sbin/nginx'), cached);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
  return cached;
}

function explain(cause: unknown): never {
  const advice = 'These tests need nginx: install it, so that nginx is on the PATH.';
  throw new Error(`${advice} None could be fetched: ${cause instanceof Error ? cause.message : cause}`, {
    cause,
  });
}
