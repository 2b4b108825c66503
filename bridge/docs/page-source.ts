/** Where the docs page's style sheet and script come from; Swagger UI is in the script. */
import type { PageSource } from '../pages/page-files.ts';

export const docsSource: PageSource = {
  name: 'docs',
  bundle: async () => {
    const { bundleFiles } = await import('../pages/bundle-files.ts');
    const source = (path: string) => new URL(path, import.meta.url);
    return bundleFiles([
      { from: source('page/main.ts'), name: 'docs' },
      { from: source('page/styles/docs.css'), name: 'docs' },
      { from: source('../pages/icon.svg'), name: 'icon' },
    ]);
  },
};
