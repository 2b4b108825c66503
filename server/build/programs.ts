/**
 * Bundles the service and its command line, packages included, with esbuild, as finding and loading many small files makes
 * a start slow; and the pages for browsers. Dynamic imports stay in separate files.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { docsSource } from '../../bridge/docs/page-source.ts';
import { accountSource } from '../account/page-source.ts';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Left in node_modules: what is compiled for a machine, looks for files of its own, is CommonJS imported at run time, or goes
 * by the names of its classes.
 */
const external = [
  ...['@node-rs/argon2', 'mongodb-memory-server*', '@opentelemetry/*', 'esbuild', '@zxcvbn-ts/*'],
  'oidc-provider',
];

/**
 * Not with `keepNames`, which adds work to every call: some classes get an underscore before their names, which nothing
 * but a message shows.
 * @param folder where all files go, side by side: `import.meta.url` is in it wherever it is read
 */
export async function writePrograms(folder: URL): Promise<void> {
  await build({
    entryPoints: { main: source('../main.ts'), cli: source('../cli.ts') },
    outdir: fileURLToPath(folder),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external,
    // Packages written for `require` go on asking for Node's own modules with it.
    banner: { js: requireOfNode },
    sourcemap: true,
    sourcesContent: false,
    plugins: [coarseMapsOfPackages],
    logLevel: 'warning',
  });
}

const requireOfNode =
  "import { createRequire as createRequireOfNode } from 'node:module';" +
  'const require = createRequireOfNode(import.meta.url);';

/** Says of a whole file that it is its first character. */
const coarseMap = Buffer.from(JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' }));

/** Node reads maps at the start, and those of packages are far larger than ours; their code can be read as it is. */
const coarseMapsOfPackages: Plugin = {
  name: 'coarse-maps-of-packages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].+\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${coarseMap.toString('base64')}`,
    }));
  },
};

export const pageSources = [docsSource, accountSource];

export async function writePages(folder: URL): Promise<void> {
  for (const { name, bundle } of pageSources) {
    const page = new URL(`${name}/`, folder);
    await mkdir(page, { recursive: true });
    for (const [file, content] of await bundle()) await writeFile(new URL(file, page), content);
  }
}
