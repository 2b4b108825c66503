/** Serves the files of the account page. */
import { loadPageFiles, type PageFile } from '../../bridge/pages/page-files.ts';
import { sendPageFile } from '../../bridge/pages/send-page-file.ts';
import type { Middleware } from '../../bridge/request-state.ts';
import { accountSource } from './page-source.ts';

const indexName = 'index.html';

/** Its files are read when the first of them is asked for. */
export function createPage(): Middleware {
  let loading: Promise<Map<string, PageFile>> | undefined;
  return async function page(ctx, next) {
    loading ??= loadPageFiles(accountSource);
    const files = await loading;
    const file = files.get(ctx.path.split('/')[2] || indexName);
    if (!file) return next();
    sendPageFile(ctx, file);
  };
}
