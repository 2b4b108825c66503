/** Bundles a page's sources with esbuild, in memory. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { NamedContent } from './page-files.ts';

interface Options {
  /** JSON values by name, which replace the constants that the sources declare. */
  constants?: Record<string, unknown>;
  /** The script that the page starts with, if it loads parts of itself later. */
  main?: URL;
}

/** A script that only imports another one. */
const alias = /^import"\.\/(chunk-\w+\.js)";\s*$/;

export async function bundleFiles(
  sources: { from: URL; name: string }[],
  { constants = {}, main }: Options = {},
): Promise<NamedContent[]> {
  const define = Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]);
  const { outputFiles } = await build({
    entryPoints: sources.map(({ from, name }) => ({ in: fileURLToPath(from), out: name })),
    loader: { '.html': 'copy' },
    bundle: true,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    // Each part then shares one chunk with the main script. Otherwise, each combination of parts would have its own.
    inject: main ? [fileURLToPath(main)] : [],
    define: Object.fromEntries(define),
    minify: true,
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    outdir: 'page',
    write: false,
    logLevel: 'silent',
  });
  return withoutAliases(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
}

/** Gives a chunk the name of the script that only imports it, so that the page starts after one request. */
function withoutAliases(files: NamedContent[]): NamedContent[] {
  const targets = files.map(([name, content]) => [name, alias.exec(content.toString())?.[1]] as const);
  const names = new Map(targets.flatMap(([name, target]) => (target ? [[target, name] as const] : [])));
  const aliases = new Set(names.values());
  const rename = (content: Buffer) =>
    Buffer.from(content.toString().replaceAll(/chunk-\w+\.js/g, (name) => names.get(name) ?? name));
  return files
    .filter(([name]) => !aliases.has(name))
    .map(([name, content]) => [names.get(name) ?? name, name.endsWith('.js') ? rename(content) : content]);
}
