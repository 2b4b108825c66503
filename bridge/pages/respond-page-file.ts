/** Answers a request for a page's file: GET and HEAD with the file, OPTIONS with the methods, others with 405. */
import { ApiError } from '../../routers/errors.ts';
import { type RequestContext, respondAllow } from '../http/request-state.ts';
import type { PageFile } from './page-files.ts';
import { sendPageFile } from './send-page-file.ts';

const Allow = 'GET, HEAD, OPTIONS';

export function respondPageFile(ctx: RequestContext, file: PageFile): void {
  const { method } = ctx.state;
  if (method === 'GET' || method === 'HEAD') sendPageFile(ctx, file);
  else if (method === 'OPTIONS') respondAllow(ctx, Allow);
  else
    throw new ApiError('method_not_allowed', `${method} is not offered here; use ${Allow}`, {
      headers: { Allow },
    });
}
