/** Sources of the docs page's style sheet and script, which contains Swagger UI. */
import type { PageSource } from '../pages/page-files.ts';

export const docsSource: PageSource = {
  name: 'docs',
  bundle: async () => {
    const { bundleFiles } = await import('../pages/bundle-files.ts');
    const sourceUrl = (path: string) => new URL(path, import.meta.url);
    return bundleFiles([
      { from: sourceUrl('page/main.ts'), name: 'docs' },
      { from: sourceUrl('page/styles/docs.css'), name: 'docs' },
    ]);
  },
};
