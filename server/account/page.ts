/** Serves the files of the account page, read when the first of them is asked for. */

import type { Middleware } from '../../bridge/http/request-state.ts';
import { loadPageFiles } from '../../bridge/pages/page-files.ts';
import { sendPageFile } from '../../bridge/pages/send-page-file.ts';
import { ApiError, notFound } from '../../routers/errors.ts';
import { lazy } from '../../routers/lazy.ts';
import { createPageHeaders } from './page-headers.ts';
import { accountSource } from './page-source.ts';

const indexName = 'index.html';

/** Addresses that show the page: its own, where a single sign-on ends, of a sign-in link, and of an app's request. */
const views = ['', 'callback', 'link', 'connect'];

export function createPage({ prefix, isHttps }: { prefix: string; isHttps: boolean }): Middleware {
  const load = lazy(() => loadPageFiles(accountSource));
  const setHeaders = createPageHeaders({ isHttps });
  return async function page(ctx) {
    const { method, path } = ctx.state;
    const files = await load();
    const name = path.slice(prefix.length + 1);
    const file = files.get(views.includes(name) ? indexName : name);
    if (!file) throw notFound('Page');
    if (method !== 'GET' && method !== 'HEAD') throw new ApiError('not_found', 'Page not found');
    await setHeaders(ctx, async () => sendPageFile(ctx, file));
  };
}
