/** Sends a page's file, compressed where accepted; browsers cache it and revalidate by ETag. */
import type { RequestContext } from '../http/request-state.ts';
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
