/** Sources of the docs page's style sheet and script and of the example programs. */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
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

/** Each example in JavaScript becomes three files: its program, its package.json and its README. */
async function readExamples(folder: URL): Promise<NamedContent[]> {
  const paths = await readdir(folder, { recursive: true });
  const names = paths.flatMap((path) => /^([^/]+)\/main\.js$/.exec(path)?.[1] ?? []);
  const files = names
    .toSorted()
    .flatMap((name) =>
      ['main.js', 'package.json', 'README.md'].map(
        async (file): Promise<NamedContent> => [
          `example-${name}${extname(file)}`,
          await readFile(new URL(`${name}/${file}`, folder)),
        ],
      ),
    );
  return Promise.all(files);
}
