/** Bundles a page's sources with esbuild, in memory. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { NamedContent } from './page-files.ts';

/** @param constants JSON values by name, which replace the constants that the sources declare */
export async function bundleFiles(
  sources: { from: URL; name: string }[],
  constants: Record<string, unknown> = {},
): Promise<NamedContent[]> {
  const define = Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]);
  const { outputFiles } = await build({
    entryPoints: sources.map(({ from, name }) => ({ in: fileURLToPath(from), out: name })),
    loader: { '.html': 'copy' },
    bundle: true,
    define: Object.fromEntries(define),
    minify: true,
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    outdir: 'page',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]);
}
