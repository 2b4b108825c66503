/**
 * Sends finished spans over OTLP/HTTP, in batches and behind the requests' backs. Where to, how many and with what is
 * said by OpenTelemetry's own variables, which its packages read. A collector that is away costs its spans, nothing else.
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
import { Outage } from '../outage.ts';
import type { TracingSettings } from './tracing.ts';

export async function openExport({ protocol, exportTimeoutMs: timeoutMillis }: TracingSettings, log: Log) {
  const { OTLPTraceExporter } = await exporters[protocol]();
  const exporter = new WatchedExporter(new OTLPTraceExporter({ timeoutMillis }), log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'gamehost' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  return {
    tracer: provider.getTracer('gamehost'),
    /** The log has been told of an export that failed. */
    stop: () => provider.shutdown().catch(() => {}),
  };
}

/** Only one of them is loaded. */
const exporters = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
};

/** Tells the log once that the collector is away, which the SDK would keep to itself. */
class WatchedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #outage: Outage;

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter;
    this.#outage = new Outage(log, {
      away: 'The collector of traces takes none; those of this time are lost',
      back: 'The collector of traces is back',
    });
  }

  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#outage.end();
      else this.#outage.begin(result.error ?? 'no reason given');
      onResult(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
