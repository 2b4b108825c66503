/** Tracing with OpenTelemetry: the tracer, and all that makes spans with it. */
import type { Log } from '../log.ts';
import { watchCommands } from './commands.ts';
import { openExport } from './export.ts';
import { createTraceRows } from './operations.ts';
import { createTraceCall } from './panel-calls.ts';
import { createTraceRequests } from './requests.ts';
import { Spans } from './spans.ts';
import type { Tracing, TracingSettings } from './tracing.ts';

export async function createTracing(settings: TracingSettings, log: Log): Promise<Tracing> {
  const { tracer, stop } = await openExport(settings, log);
  const spans = new Spans(tracer);
  return {
    traceRequests: createTraceRequests(spans, settings),
    traceRows: createTraceRows(spans),
    traceCall: createTraceCall(spans),
    watchCommands: (client) => watchCommands(client, spans),
    stop,
  };
}
