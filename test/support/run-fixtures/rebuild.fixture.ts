/** A build of the programs that fails at its first try. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { builtPrograms } from '../built-programs.ts';
import { failureOf } from '../failure-of.ts';

it('builds the programs after a build that failed', async () => {
  const root = new URL(`../../../.cache/programs-${process.pid}/`, import.meta.url);
  await mkdir(root, { recursive: true });
  await writeFile(new URL('dist', root), 'a file where the build needs a folder');
  await failureOf(builtPrograms());
  await rm(new URL('dist', root));
  expect(await builtPrograms()).to.match(/dist.server.$/);
});
