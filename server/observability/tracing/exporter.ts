/**
 * Exports finished spans over OTLP/HTTP, in background batches. OpenTelemetry's packages read the endpoint, the batch
 * sizes and the sampler from their own variables. While the collector is away spans are lost, and nothing else happens.
 */
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Log } from '../log.ts';
import { OutageLog } from '../outage-log.ts';
import type { TracingSettings } from './tracing.ts';

export async function createTracer({ protocol, exportTimeoutMs: timeoutMillis }: TracingSettings, log: Log) {
  const { OTLPTraceExporter } = await loadExporter[protocol]();
  const exporter = new LoggingExporter(new OTLPTraceExporter({ timeoutMillis }), log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'gamehost' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  return {
    tracer: provider.getTracer('gamehost'),
    /** A failed last export is in the log already. */
    stop: () => provider.shutdown().catch(() => {}),
  };
}

/** Only the configured one is loaded. */
const loadExporter = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
};

/** Logs once that the collector is away; the SDK itself would not. */
class LoggingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #outageLog: OutageLog;

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter;
    this.#outageLog = new OutageLog(log, {
      away: 'Trace collector is unavailable; spans are dropped until it is back',
      back: 'Trace collector is back',
    });
  }

  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#outageLog.reportBack();
      else this.#outageLog.reportAway(result.error ?? 'no reason given');
      onResult(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
