/** The source files of the account page, and how they are bundled. */
import type { PageSource } from '../../bridge/pages/page-files.ts';

export const accountSource: PageSource = {
  name: 'account',
  bundle: async () => {
    const { bundleFiles } = await import('../../bridge/pages/bundle-files.ts');
    const { readFormBounds } = await import('./form-bounds.ts');
    const source = (path: string) => new URL(path, import.meta.url);
    const main = source('page/main.tsx');
    const sources = [
      { from: main, name: 'page' },
      { from: source('page/styles/page.css'), name: 'page' },
      { from: source('page/index.html'), name: 'index' },
    ];
    return bundleFiles(sources, { main, constants: { fieldBounds: readFormBounds() } });
  },
};
