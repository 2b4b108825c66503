/** A span for each request, named by its operation once that is known. */
import type { Middleware, RequestContext } from '../../bridge/request-state.ts';
import { type Span, SpanKind, SpanStatusCode, type Spans } from './spans.ts';
import type { TracingSettings } from './tracing.ts';

/** Stands around `failures`, so that the status it sees is the one that is sent. */
export const createTraceRequests = (
  spans: Spans,
  { isCallerTrusted }: Pick<TracingSettings, 'isCallerTrusted'>,
): Middleware =>
  async function traceRequests(ctx, next) {
    await spans.received(isCallerTrusted ? ctx.headers : {}, { kind: SpanKind.SERVER }, async (span) => {
      await next();
      tellRequest(span, ctx);
    });
  };

function tellRequest(span: Span, { method, status, state }: RequestContext): void {
  const { calls, via, requestId } = state;
  const [first] = calls;
  const isBatch = calls.length > 1;
  span.updateName(isBatch ? `${via} batch` : (first?.operation ?? `${method} ${via}`));
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'gamehost.operations': calls.map(({ operation }) => operation ?? 'none'),
    'gamehost.tongue': via,
    'gamehost.request_id': requestId,
  });
  const code = calls.find(({ code }) => code !== null)?.code;
  if (code || status >= 400) span.setAttribute('error.type', code ?? String(status));
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}
