/** Refuses a request with more headers than any client sends: each costs time, and a proxy may read only the first. */
import type { Middleware } from '../../bridge/http/request-state.ts';
import { badRequest } from '../../routers/errors.ts';

const headersMax = 100;

export function createHeaderLimit(): Middleware {
  return function headerLimit(ctx, next) {
    // Names and values in turn.
    if (ctx.req.rawHeaders.length > 2 * headersMax)
      throw badRequest(`The request has more than ${headersMax} headers`);
    return next();
  };
}
