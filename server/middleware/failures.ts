/** Turns whatever is thrown below into the error envelope; what was not meant for the caller is logged, not told. */
import { envelope } from '../../bridge/envelope.ts';
import type { Middleware } from '../../bridge/request-state.ts';
import { notFound } from '../../routers/errors.ts';
import type { Log } from '../log.ts';

export function createFailures(log: Log): Middleware {
  return async function failures(ctx, next) {
    try {
      await next();
      if (ctx.status === 404 && ctx.body == null) throw notFound('Page');
    } catch (failure) {
      const { status, headers, body } = envelope(failure);
      if (status >= 500) log.error({ requestId: ctx.state.requestId, err: failure }, body.error.message);
      ctx.set(headers);
      ctx.status = status;
      ctx.body = body;
    }
  };
}
