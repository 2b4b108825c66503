/** Serves the files of the account page; browsers keep them and ask whether they are still the same. */
import type { Middleware } from '../../bridge/request-state.ts';
import { loadPageFiles, type PageFile } from './page-files.ts';

const indexName = 'index.html';

/** Its files are read when the first of them is asked for. */
export function createPage(): Middleware {
  let loading: Promise<Map<string, PageFile>> | undefined;
  return async function page(ctx, next) {
    loading ??= loadPageFiles();
    const files = await loading;
    const file = files.get(ctx.path.split('/')[2] || indexName);
    if (!file) return next();
    ctx.status = 200;
    ctx.set({ ETag: file.etag, 'Cache-Control': 'no-cache' });
    if (ctx.fresh) ctx.status = 304;
    else {
      ctx.type = file.type;
      ctx.body = file.content;
    }
  };
}
