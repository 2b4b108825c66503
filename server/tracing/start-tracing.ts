/** Traces as the configuration wants them; where it wants none, nothing of OpenTelemetry is loaded. */
import type { Log } from '../log.ts';
import type { Tracing, TracingSettings } from './tracing.ts';

export async function startTracing(settings: TracingSettings | null, log: Log): Promise<Tracing | null> {
  if (!settings) return null;
  const { createTracing } = await import('./create-tracing.ts');
  return createTracing(settings, log);
}
