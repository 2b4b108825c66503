/** The pages for browsers, and the start's question whether they are there: better than an error at the first visit. */
import { fileURLToPath } from 'node:url';
import { docsSource } from '../bridge/docs/page-source.ts';
import { hasPageFiles } from '../bridge/pages/page-files.ts';
import { accountSource } from './account/page-source.ts';
import { StartError } from './embedded/say.ts';

export const pageSources = [docsSource, accountSource];

/** @throws {StartError} when the service was compiled, but its pages were not built */
export async function requirePages(): Promise<void> {
  for (const source of pageSources)
    if (!(await hasPageFiles(source)))
      throw new StartError(
        `No page was built in ${fileURLToPath(source.folder)}. Run npm run build: tsc alone does not build the pages.`,
      );
}
