/** The service and its command line, bundled by `npm run build`: they start in a third of the time that sources need. */
import { mkdir, symlink } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { lazy } from '../../routers/support/memoize.ts';
import { writePages, writePrograms } from '../../server/build/programs.ts';
import { buildTypes } from './built-types.ts';
import { mongodCacheDir } from './mongo.ts';
import { onceARun } from './run-folder.ts';

/** @param root stands for the project, whose node_modules it is below */
async function bundle(root: string): Promise<void> {
  await mkdir(`${root}.cache`);
  await symlink(mongodCacheDir, `${root}.cache/mongod`, 'dir');
  await writePages(pathToFileURL(`${root}dist/server/pages/`));
  await writePrograms(pathToFileURL(`${root}dist/server/`));
}

/** Bundled once in a run; resolves with the folder of main.js and cli.js. */
export const builtPrograms = lazy(async () => `${await onceARun('programs', bundle)}dist/server/`);

/** The full output of `npm run build`, including the package of types; resolves to the folder in place of dist. */
export const wholeBuild = lazy(async (): Promise<string> => {
  const root = await onceARun('build', async (root) => {
    await buildTypes(`${root}dist/`);
    await bundle(root);
  });
  return `${root}dist/`;
});
