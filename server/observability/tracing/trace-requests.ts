/** A span per request, renamed to its operation once that is known. */
import type { Middleware, RequestContext } from '../../../bridge/http/request-state.ts';
import { type Span, SpanKind, SpanStatusCode, type Spans } from './spans.ts';
import type { TracingSettings } from './tracing.ts';

/** Wraps the error handler, so that it sees the final status. */
export const createTraceRequests = (
  spans: Spans,
  { isCallerTrusted }: Pick<TracingSettings, 'isCallerTrusted'>,
): Middleware =>
  async function traceRequests(ctx, next) {
    await spans.runFrom(isCallerTrusted ? ctx.headers : {}, { kind: SpanKind.SERVER }, async (span) => {
      await next();
      recordRequest(span, ctx);
    });
  };

function recordRequest(span: Span, { method, status, state }: RequestContext): void {
  const { calls, requestId } = state;
  const protocol = state.protocol.name;
  const [first] = calls;
  const isBatch = calls.length > 1;
  span.updateName(isBatch ? `${protocol} batch` : (first?.operation ?? `${method} ${protocol}`));
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'gamehost.operations': calls.map(({ operation }) => operation ?? 'none'),
    'gamehost.protocol': protocol,
    'gamehost.request_id': requestId,
  });
  const code = calls.find(({ code }) => code !== null)?.code;
  if (code || status >= 400) span.setAttribute('error.type', code ?? String(status));
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}
