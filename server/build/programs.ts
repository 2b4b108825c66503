/**
 * Bundles the service and its command line with their packages, and the pages for browsers, by esbuild. A start that finds and
 * loads many small files is slow. Dynamic imports stay in separate files.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { docsSource } from '../../bridge/docs/page-source.ts';
import { accountSource } from '../account/page-source.ts';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * These stay in node_modules. They are compiled for a machine, look for their own files, are CommonJS imported at run time, or
 * depend on the names of their classes.
 */
const external = [
  ...['@node-rs/argon2', 'mongodb-memory-server*', '@opentelemetry/*', 'esbuild', '@zxcvbn-ts/*'],
  'oidc-provider',
];

/**
 * Does not use `keepNames`, which adds work to every call. Some classes therefore get an underscore before their names, which
 * only messages show.
 * @param folder gets all files, side by side, so `import.meta.url` is in this folder for all code
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
    // CommonJS packages in the bundle still load Node's modules with `require`.
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

/** Maps every position of a file to its first character. */
const coarseMap = Buffer.from(JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' }));

/** Node reads source maps at the start, and packages have far larger ones than we do. Their code is readable without maps. */
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
