/** Turns whatever is thrown below into the error envelope; what was not meant for the caller is logged, not told. */
import type { Middleware, Report } from '../../bridge/request-state.ts';
import { asApiError, notFound } from '../../routers/errors.ts';
import type { Log } from '../log.ts';

export function createFailures(report: Report): Middleware {
  return async function failures(ctx, next) {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null) throw notFound('Page');
    } catch (failure) {
      report(failure, ctx.state);
      const { status, headers, body } = ctx.state.envelope(failure, ctx.state);
      ctx.set(headers);
      ctx.status = status;
      ctx.body = body;
    }
  };
}

export const createReport =
  (log: Log): Report =>
  (failure, { requestId }) => {
    const { status, message } = asApiError(failure);
    if (status >= 500) log.error({ requestId, err: failure }, message);
  };
