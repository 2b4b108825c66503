/** Answers with a file of a page; browsers keep it and ask whether it is still the same. */
import type { RequestContext } from '../request-state.ts';
import type { PageFile } from './page-files.ts';

export function sendPageFile(ctx: RequestContext, { type, etag, content, gzipped }: PageFile): void {
  ctx.status = 200;
  ctx.type = type;
  ctx.set({ ETag: etag, 'Cache-Control': 'no-cache' });
  ctx.vary('Accept-Encoding');
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isCompressed) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isCompressed ? gzipped : content;
}
