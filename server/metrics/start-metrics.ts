/** The metrics as the configuration wants them: counted and served on a port of their own, or not at all. */
import type { PoolEvents } from './database-pool.ts';
import type { Metrics } from './metrics.ts';
import type { Place } from './metrics-server.ts';

export interface RunningMetrics {
  metrics: Metrics | null;
  /** Where Prometheus finds them. */
  metricsUrl: string | null;
  watchPool(client: PoolEvents): void;
  stop(): Promise<void>;
}

export async function startMetrics(place: Place | null): Promise<RunningMetrics> {
  if (!place) return { metrics: null, metricsUrl: null, watchPool: () => {}, stop: async () => {} };
  // Loaded only when needed.
  const { Metrics } = await import('./metrics.ts');
  const { measurePool } = await import('./database-pool.ts');
  const { startMetricsServer } = await import('./metrics-server.ts');
  const metrics = new Metrics();
  const { url, stop } = await startMetricsServer(metrics.registry, place);
  return { metrics, metricsUrl: url, watchPool: (client) => measurePool(client, metrics.registry), stop };
}
