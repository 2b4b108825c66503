/**
 * Tracing with OpenTelemetry: spans of requests, operations, MongoDB commands and panel calls. OpenTelemetry's
 * instrumentation packages would not work: they patch modules as these load, but our build bundles them into one file.
 */

import { ExportResultCode } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Operation } from '../../../bridge/operations.ts';
import type { Middleware, RequestContext } from '../../../bridge/protocol.ts';
import type { Config } from '../../config.ts';
import type { DatabaseClient } from '../../database.ts';
import type { TraceCall } from '../../panel/options.ts';
import { type Log, OutageLog } from '../log.ts';
import { type Span, SpanKind, SpanStatusCode, Spans, traceCommands } from './spans.ts';

type TracingSettings = NonNullable<Config['tracing']>;

export type Tracing = Awaited<ReturnType<typeof createTracing>>;

/** A new span becomes a child of the span that is active at its start. */
export async function createTracing(settings: TracingSettings, log: Log) {
  const { tracer, stop } = await createTracer(settings, log);
  const spans = new Spans(tracer);
  return {
    traceRequests: createTraceRequests(spans, settings),
    traceOperations: (operations: Operation[]): Operation[] =>
      operations.map((operation) => ({
        ...operation,
        invoke: (invocation) =>
          spans.run(operation.name, { kind: SpanKind.INTERNAL }, () => operation.invoke(invocation)),
      })),
    tracePanelCall: createTracePanelCall(spans),
    /** Creates a span for each command. The client needs the option `monitorCommands`. */
    traceCommands: (client: DatabaseClient) => traceCommands(client, spans),
    /** Exports the remaining spans; bounded by `exportTimeoutMs`. */
    stop,
  };
}

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

/** Runs outside the error handler, to see the final status. */
const createTraceRequests = (
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
  const { calls, protocol } = state.record;
  const [first] = calls;
  const isBatch = calls.length > 1;
  span.updateName(isBatch ? `${protocol} batch` : (first?.operation ?? `${method} ${protocol}`));
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'gamehost.operations': calls.map(({ operation }) => operation ?? 'none'),
    'gamehost.protocol': protocol,
    'gamehost.request_id': state.request.id,
  });
  const code = calls.find(({ code }) => code !== null)?.code;
  if (code || status >= 400) span.setAttribute('error.type', code ?? String(status));
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Exports finished spans over OTLP/HTTP, in background batches. OpenTelemetry's packages read the endpoint, the batch sizes
 * and the sampler from their own environment variables. While the collector is unavailable, only spans are lost.
 */
async function createTracer({ protocol, exportTimeoutMs: timeoutMillis }: TracingSettings, log: Log) {
  const { OTLPTraceExporter } = await loadExporter[protocol]();
  const exporter = withOutageLog(new OTLPTraceExporter({ timeoutMillis }), log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'gamehost' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  return {
    tracer: provider.getTracer('gamehost'),
    /** A failure of the last export is already logged. */
    stop: () => provider.shutdown().catch(() => {}),
  };
}

const loadExporter = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
};

/** Logs once that the collector is unavailable, because the SDK does not log it. */
function withOutageLog(exporter: SpanExporter, log: Log): SpanExporter {
  const outageLog = new OutageLog(log, {
    outage: 'Trace collector is unavailable; spans are dropped until it is back',
    recovery: 'Trace collector is back',
  });
  return {
    export: (spans, onResult) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) outageLog.reportRecovery();
        else outageLog.reportOutage(result.error ?? 'no reason given');
        onResult(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
