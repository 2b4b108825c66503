/** Turns whatever is thrown below into the error envelope; what was not meant for the caller is logged, not told. */
import { answerJson, type Middleware, type Report, type RequestContext } from '../../bridge/request-state.ts';
import { asApiError, notFound } from '../../routers/errors.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';

export function createFailures(report: Report): Middleware {
  return async function failures(ctx, next) {
    try {
      await next();
      if (!isAnswered(ctx)) throw notFound('Page');
    } catch (failure) {
      report(failure, ctx.state);
      const { status, headers, body } = ctx.state.envelope(failure, ctx.state);
      Object.assign(ctx.state.headers, headers);
      answerJson(ctx, status, JSON.stringify(body));
    }
  };
}

const isAnswered = (ctx: RequestContext) => ctx.state.json !== null || ctx.status !== 404 || ctx.body != null;

interface Hearers {
  log: Log;
  metrics: Metrics | null;
}

export const createReport =
  ({ log, metrics }: Hearers): Report =>
  (failure, state) => {
    const { status, message } = asApiError(failure);
    if (status >= 500 && !isShed(failure)) log.error({ requestId: state.requestId, err: failure }, message);
    metrics?.countFailure(failure, state);
  };

/** One line for each of a flood would add to it; the metrics count them. */
const isShed = (failure: unknown) => asApiError(failure).apiCode === 'overloaded';
