/** Serves the files of the account page. */
import { loadPageFiles } from '../../bridge/pages/page-files.ts';
import { sendPageFile } from '../../bridge/pages/send-page-file.ts';
import { whenAsked } from '../../bridge/pages/when-asked.ts';
import type { Middleware } from '../../bridge/request-state.ts';
import { accountSource } from './page-source.ts';

const indexName = 'index.html';

/** Its files are read when the first of them is asked for. */
export function createPage(): Middleware {
  const load = whenAsked(() => loadPageFiles(accountSource));
  return async function page(ctx, next) {
    const files = await load();
    const file = files.get(ctx.path.split('/')[2] || indexName);
    if (!file) return next();
    sendPageFile(ctx, file);
  };
}
