/** Sources of the docs page's style sheet and script and of the example programs. */
import { readdir, readFile } from 'node:fs/promises';
import type { NamedContent, PageSource } from '../pages/page-files.ts';

export const docsSource: PageSource = {
  name: 'docs',
  bundle: async () => {
    const { bundleFiles } = await import('../pages/bundle-files.ts');
    const sourceUrl = (path: string) => new URL(path, import.meta.url);
    const bundled = await bundleFiles([
      { from: sourceUrl('page/main.ts'), name: 'docs' },
      { from: sourceUrl('page/docs.css'), name: 'docs' },
    ]);
    return [...bundled, ...(await readExamples(sourceUrl('../examples/')))];
  },
};

/** Of each example in JavaScript its program, its package.json and its README. */
async function readExamples(folder: URL): Promise<NamedContent[]> {
  const paths = await readdir(folder, { recursive: true });
  const names = paths.flatMap((path) => /^([^/]+)\/main\.js$/.exec(path)?.[1] ?? []);
  const read = (name: string, path: string) => readFile(new URL(`${name}/${path}`, folder));
  const files = names
    .toSorted()
    .flatMap((name) => [
      read(name, 'main.js').then((content): NamedContent => [`example-${name}.js`, content]),
      read(name, 'package.json').then((content): NamedContent => [`example-${name}.json`, content]),
      read(name, 'README.md').then((content): NamedContent => [`example-${name}.md`, content]),
    ]);
  return Promise.all(files);
}
