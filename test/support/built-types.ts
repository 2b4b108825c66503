/** The package of types that `npm run build` makes, from the current sources. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { writeTypes } from '../../server/build/types.ts';

const run = promisify(execFile);
const projectDir = fileURLToPath(new URL('../../', import.meta.url));

/** @param dist where tsc's declarations and, in types/, the package go */
export async function buildTypes(dist: string): Promise<void> {
  const tsc = [`${projectDir}node_modules/typescript-7/bin/tsc`, '--noCheck', '--outDir', dist];
  await run(process.execPath, tsc, { cwd: projectDir });
  await writeTypes(pathToFileURL(`${dist}types/`), await readFile(`${dist}routers/index.d.ts`, 'utf8'));
}
