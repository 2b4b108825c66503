/** Serves the router's type from the build, without a key, for clients that do not install the package. */
import { readFile } from 'node:fs/promises';
import { ApiError } from '../../routers/errors.ts';
import { lazy } from '../../routers/support/memoize.ts';
import { respondPageFile, toPageFile } from '../pages/page-files.ts';
import { createPageProtocol } from '../protocol.ts';
import { trpcPrefix } from './trpc.ts';

export const typesPath = `${trpcPrefix}/types.d.ts`;

/** In a folder next to the folder of the bundled program, which contains this module. Null when run from source. */
const builtFile = import.meta.url.endsWith('.ts') ? null : new URL('../types/index.d.ts', import.meta.url);

export function createTypesFile() {
  const load = lazy(async () => {
    if (!builtFile) throw notBuilt();
    const content = await readFile(builtFile).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'ENOENT' ? notBuilt() : cause;
    });
    // TypeScript has no media type, and `.ts` would get that of a video.
    return toPageFile('types.txt', content);
  });
  return createPageProtocol(async (ctx) => respondPageFile(ctx, await load()));
}

const notBuilt = () =>
  new ApiError(
    'not_found',
    'The types are not built; run "npm run build" and start the service with "npm start"',
  );
