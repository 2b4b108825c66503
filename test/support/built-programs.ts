/** The service and its command line as `npm run build` bundles them: they start in a third of the time that sources take. */
import { mkdir, symlink } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { lazy } from '../../routers/memoize.ts';
import { writePages, writePrograms } from '../../server/build/programs.ts';
import { mongodCacheDir } from './mongo.ts';
import { onceARun } from './run-folder.ts';

/** Bundled once in a run; resolves with the folder of main.js and cli.js. */
export const builtPrograms = lazy(async (): Promise<string> => {
  const folder = await onceARun('programs', async (root) => {
    await mkdir(`${root}.cache`);
    await symlink(mongodCacheDir, `${root}.cache/mongod`, 'dir');
    await writePages(pathToFileURL(`${root}dist/server/pages/`));
    await writePrograms(pathToFileURL(`${root}dist/server/`));
  });
  return `${folder}dist/server/`;
});
