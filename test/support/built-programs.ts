/** The service and its command line, bundled by `npm run build`: they start in a third of the time that sources need. */
import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { lazy } from '../../routers/support/memoize.ts';
import { writePages, writePrograms } from '../../server/build/programs.ts';
import { writeTrpcTypes } from '../../server/build/types.ts';
import { builtClient } from './client.ts';
import { mongodCacheDir } from './mongo.ts';
import { onceARun } from './run-folder.ts';

const run = promisify(execFile);
const projectDir = fileURLToPath(new URL('../../', import.meta.url));

/** @param root stands for the project, whose node_modules it is below */
async function bundle(root: string): Promise<void> {
  await mkdir(`${root}.cache`);
  await symlink(mongodCacheDir, `${root}.cache/mongod`, 'dir');
  await writePages(pathToFileURL(`${root}dist/server/pages/`));
  await writePrograms(pathToFileURL(`${root}dist/server/`));
}

/** Bundled once in a run; resolves with the folder of main.js and cli.js. */
export const builtPrograms = lazy(async () => `${await onceARun('programs', bundle)}dist/server/`);

/** The full output of `npm run build`, including the client's package; resolves to the folder in place of dist. */
export const wholeBuild = lazy(async (): Promise<string> => {
  const root = await onceARun('build', async (root) => {
    await buildClient(`${root}dist/`);
    await bundle(root);
  });
  return `${root}dist/`;
});

async function buildClient(dist: string): Promise<void> {
  const tsc = [`${projectDir}node_modules/typescript-7/bin/tsc`, '--noCheck', '--outDir', dist];
  await run(process.execPath, tsc, { cwd: projectDir });
  await cp(await builtClient(), `${dist}client/`, { recursive: true });
  await writeTrpcTypes(pathToFileURL(dist));
}
