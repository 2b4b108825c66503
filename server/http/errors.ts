/** Turns whatever is thrown below into an error response of the request's protocol; the cause is logged, never sent. */
import type { Call, Exchange } from '../../bridge/http/exchange.ts';
import {
  type Middleware,
  type Report,
  type RequestContext,
  respondJson,
} from '../../bridge/http/request-state.ts';
import { asApiError, notFound } from '../../routers/errors.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics/metrics.ts';

export function createErrors(report: Report): Middleware {
  return async function errors(ctx, next) {
    try {
      await next();
      if (!isAnswered(ctx)) throw notFound('Page');
    } catch (failure) {
      report(failure, ctx.state);
      respondError(ctx, failure);
    }
  };
}

/** Leaves a failure of the whole request as the response. */
export function respondError(ctx: RequestContext, failure: unknown): void {
  const { protocol, exchange } = ctx.state;
  const { status, headers, body } = protocol.formatError(failure, ctx.state, singleCallOf(exchange));
  Object.assign(ctx.state.headers, headers);
  respondJson(ctx, status, JSON.stringify(body));
}

const isAnswered = (ctx: RequestContext) => ctx.state.json !== null || ctx.status !== 404 || ctx.body != null;

const singleCallOf = (exchange: Exchange | null): Call | null =>
  exchange && !exchange.isBatch ? (exchange.calls[0] ?? null) : null;

interface Reporters {
  log: Log;
  metrics: Metrics | null;
}

export const createReport =
  ({ log, metrics }: Reporters): Report =>
  (failure, state) => {
    const { status, message, apiCode } = asApiError(failure);
    // Overload is counted only: a line for each refusal would add to it.
    if (status >= 500 && apiCode !== 'overloaded')
      log.error({ requestId: state.requestId, err: failure }, message);
    metrics?.countError(failure, state);
  };
