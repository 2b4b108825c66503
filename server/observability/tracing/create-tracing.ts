/** Tracing with OpenTelemetry: the tracer, and the spans of requests, operations, MongoDB commands and panel calls. */
import type { Operation } from '../../../bridge/operations.ts';
import type { TraceCall } from '../../panel/options.ts';
import type { Log } from '../log.ts';
import { createTracer } from './exporter.ts';
import { SpanKind, SpanStatusCode, Spans } from './spans.ts';
import { traceCommands } from './trace-commands.ts';
import { createTraceRequests } from './trace-requests.ts';
import type { Tracing, TracingSettings } from './tracing.ts';

export async function createTracing(settings: TracingSettings, log: Log): Promise<Tracing> {
  const { tracer, stop } = await createTracer(settings, log);
  const spans = new Spans(tracer);
  return {
    traceRequests: createTraceRequests(spans, settings),
    traceOperations: createTraceOperations(spans),
    tracePanelCall: createTracePanelCall(spans),
    traceCommands: (client) => traceCommands(client, spans),
    stop,
  };
}

const createTraceOperations =
  (spans: Spans) =>
  (operations: Operation[]): Operation[] =>
    operations.map((operation) => ({
      ...operation,
      invoke: (invocation) =>
        spans.run(operation.name, { kind: SpanKind.INTERNAL }, () => operation.invoke(invocation)),
    }));

const createTracePanelCall =
  (spans: Spans): TraceCall =>
  ({ api, method }, call) => {
    const attributes = { 'http.request.method': method, 'gamehost.panel_api': api };
    return spans.run(`panel ${method}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const response = await call(spans.headers());
      span.setAttribute('http.response.status_code', response.status);
      if (response.status >= 400) span.setAttribute('error.type', String(response.status));
      if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      return response;
    });
  };
