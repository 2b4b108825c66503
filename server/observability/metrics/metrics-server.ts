/** GET /metrics on its own port, so that it can stay on the operators' network. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface ListenAddress {
  host: string;
  port: number;
}

export async function startMetricsServer(registry: Registry, { host, port }: ListenAddress) {
  const server = createServer(createListener(registry)).listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // a listening TCP server has one
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
