/** Starts metrics if METRICS_PORT is set; otherwise prom-client is not even loaded. */
import type { Metrics } from './metrics.ts';
import type { ListenAddress } from './metrics-server.ts';

export interface RunningMetrics {
  metrics: Metrics | null;
  /** Where Prometheus scrapes; null where metrics are off. */
  metricsUrl: string | null;
  stop(): Promise<void>;
}

export async function startMetrics(address: ListenAddress | null): Promise<RunningMetrics> {
  if (!address) return { metrics: null, metricsUrl: null, stop: async () => {} };
  const { Metrics } = await import('./metrics.ts');
  const { startMetricsServer } = await import('./metrics-server.ts');
  const metrics = new Metrics();
  const { url, stop } = await startMetricsServer(metrics.registry, address);
  return { metrics, metricsUrl: url, stop };
}
