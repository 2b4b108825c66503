/** A span for each call of the panel, retries included; the panel learns of it by `traceparent`. */
import type { TraceCall } from '../panel/options.ts';
import { SpanKind, SpanStatusCode, type Spans } from './spans.ts';

export const createTraceCall =
  (spans: Spans): TraceCall =>
  ({ api, method }, call) => {
    const attributes = { 'http.request.method': method, 'gamehost.panel_api': api };
    return spans.within(`panel ${method}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const answer = await call(spans.headers());
      span.setAttribute('http.response.status_code', answer.status);
      if (answer.status >= 400) span.setAttribute('error.type', String(answer.status));
      if (answer.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      return answer;
    });
  };
