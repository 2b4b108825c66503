/** The client package of `npm run build`, from the current sources. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { lazy } from '../../routers/support/memoize.ts';
import { writeClient } from '../../server/build/client.ts';
import { onceARun } from './run-folder.ts';

const run = promisify(execFile);

/** Built once in a run; resolves to the folder in place of dist/client. */
export const builtClient = lazy(async (): Promise<string> => {
  const root = await onceARun('client', (folder) => writeClient(pathToFileURL(`${folder}dist/client/`)));
  return `${root}dist/client/`;
});

/** The library, as a program imports it. */
export const importClient = lazy(
  async (): Promise<typeof import('../../bridge/client/src/index.ts')> =>
    import(`${await builtClient()}lib/index.js`),
);

/** Packs a built client, and unpacks the tarball into a folder's node_modules, as npm would without a registry. */
export async function installClient(built: string, folder: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', built, '--silent', '--pack-destination', folder]);
  const unpacked = `${folder}node_modules/gamehost`;
  await mkdir(unpacked, { recursive: true });
  await run('tar', ['-xzf', folder + stdout.trim(), '-C', unpacked, '--strip-components=1']);
}

/** Installed once in a run; resolves to the folder. */
export const installedClient = lazy(() =>
  onceARun('client-installed', async (folder) => installClient(await builtClient(), folder)),
);

export const strict = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  types: ['node'],
};

/**
 * Compiles TypeScript beside the installed client, strictly and for Node; `settings` are those of the compiler that differ.
 * Resolves to the folder of the output, and the errors as "file.ts(line)".
 */
export async function compileWithClient(
  programs: Record<string, string>,
  { compiler = 'typescript-7', ...settings }: { compiler?: string; lib?: string[]; types?: string[] } = {},
): Promise<{ folder: string; errors: string[] }> {
  const folder = await mkdtemp(`${await installedClient()}${compiler}-`);
  const platform = { target: 'es2022', module: 'nodenext', lib: ['es2022'] };
  const tsconfig = { compilerOptions: { ...strict, ...platform, ...settings }, include: ['*.ts'] };
  const files = {
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify(tsconfig),
    ...programs,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(`${folder}/${name}`, text);
  const tsc = fileURLToPath(new URL(`../../node_modules/${compiler}/bin/tsc`, import.meta.url));
  const { stdout } = await run(process.execPath, [tsc, '--pretty', 'false'], { cwd: folder }).catch(
    (failure: { stdout: string }) => failure,
  );
  return { folder: `${folder}/`, errors: errorsIn(stdout) };
}

/** The places that tsc names, as "file.ts(line)": releases of TypeScript differ in the error codes. */
export const errorsIn = (printed: string): string[] =>
  [...printed.matchAll(/^(\S+\(\d+),\d+\): error /gm)].map(([, place]) => `${place})`);

/** A script that sets the global `library`. Fails if the client needs a module of Node. */
export async function bundleForBrowser(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from 'gamehost';", resolveDir: await installedClient() },
    ...{ bundle: true, platform: 'browser', format: 'iife', globalName: 'library', minify: true },
    ...{ write: false, logLevel: 'silent' },
  });
  return outputFiles[0]?.text ?? '';
}
