/** Serves metrics at GET /metrics on a port of their own if METRICS_PORT is set; otherwise prom-client is not even loaded. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Registry } from 'prom-client';
import { listenOn } from '../../http/listen.ts';
import type { Metrics } from './metrics.ts';

interface RunningMetrics {
  metrics: Metrics | null;
  /** Where Prometheus scrapes; null where metrics are off. */
  metricsUrl: string | null;
  stop(): Promise<void>;
}

export async function startMetrics(address: ListenAddress | null): Promise<RunningMetrics> {
  if (!address) return { metrics: null, metricsUrl: null, stop: async () => {} };
  const { Metrics } = await import('./metrics.ts');
  const metrics = new Metrics();
  const { url, stop } = await startMetricsServer(metrics.registry, address);
  return { metrics, metricsUrl: url, stop };
}

interface ListenAddress {
  host: string;
  port: number;
}

export async function startMetricsServer(registry: Registry, { host, port }: ListenAddress) {
  const server = createServer(createListener(registry));
  const address = await listenOn(server, { host, port }, 'METRICS_');
  return {
    url: `http://${host}:${address.port}/metrics`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const createListener =
  (registry: Registry): RequestListener =>
  async (req, res) => {
    if (req.url !== '/metrics') return void res.writeHead(404).end();
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return void res.writeHead(405, { Allow: 'GET, HEAD' }).end();
    res.setHeader('Content-Type', registry.contentType);
    res.end(await registry.metrics());
  };
