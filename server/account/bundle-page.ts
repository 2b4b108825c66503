/** Makes the account page's sources into the few files a browser loads. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const source = (path: string) => fileURLToPath(new URL(`page/${path}`, import.meta.url));

/** The files' names and contents; nothing is written. */
export async function bundlePage(): Promise<[name: string, content: Buffer][]> {
  const { outputFiles } = await build({
    entryPoints: [
      { in: source('main.tsx'), out: 'page' },
      { in: source('styles/page.css'), out: 'page' },
      { in: source('index.html'), out: 'index' },
      { in: source('icon.svg'), out: 'icon' },
    ],
    loader: { '.html': 'copy', '.svg': 'copy' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: 'page',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]);
}
