/** Serves metrics at GET /metrics on METRICS_PORT. Without it, prom-client is not even loaded. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type ListenAddress, listenOn } from '../../http/listen.ts';

export async function startMetrics(address: ListenAddress | null) {
  if (!address) return { metrics: null, metricsUrl: null, stop: async () => {} };
  const { Metrics } = await import('./metrics.ts');
  const metrics = new Metrics();
  const server = createServer(async (req, res) => {
    if (req.url !== '/metrics') return void res.writeHead(404).end();
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return void res.writeHead(405, { Allow: 'GET, HEAD' }).end();
    res.setHeader('Content-Type', metrics.registry.contentType);
    res.end(await metrics.registry.metrics());
  });
  const { port } = await listenOn(server, address, 'METRICS_');
  return {
    metrics,
    metricsUrl: `http://${address.host}:${port}/metrics`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
