/** The service and its command line as `npm run build` bundles them: they start in a third of the time that sources take. */
import { rmSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { lazy } from '../../routers/memoize.ts';
import { writePages, writePrograms } from '../../server/build/programs.ts';
import { mongodCacheDir } from './mongo.ts';

/** Below the project's folder, so that what is not bundled is found in its node_modules. */
const root = fileURLToPath(new URL(`../../.cache/programs-${process.pid}/`, import.meta.url));

/** Bundles at the first call in a process; resolves with the folder of main.js and cli.js, which goes when the process ends. */
export const builtPrograms = lazy(async (): Promise<string> => {
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  await mkdir(`${root}.cache`, { recursive: true });
  await rm(`${root}.cache/mongod`, { force: true }); // left by a build that failed
  await symlink(mongodCacheDir, `${root}.cache/mongod`, 'dir');
  const folder = `${root}dist/server/`;
  await writePages(pathToFileURL(`${folder}pages/`));
  await writePrograms(pathToFileURL(folder));
  return folder;
});
