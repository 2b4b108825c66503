/** The client package of `npm run build`, from the current sources. */
import { pathToFileURL } from 'node:url';
import { lazy } from '../../routers/support/memoize.ts';
import { writeClient } from '../../server/build/client.ts';
import { onceARun } from './run-folder.ts';

/** Built once in a run; resolves to the folder in place of dist/client. */
const builtClient = lazy(async (): Promise<string> => {
  const root = await onceARun('client', (folder) => writeClient(pathToFileURL(`${folder}dist/client/`)));
  return `${root}dist/client/`;
});

/** The library, as a program imports it. */
export const importClient = lazy(
  async (): Promise<typeof import('../../bridge/client/src/index.ts')> =>
    import(`${await builtClient()}lib/index.js`),
);
