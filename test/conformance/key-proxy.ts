/** Puts a key into every request on its way to a service, for suites that have no header option; Host and Origin stay. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function startKeyProxy(target: string, key: string) {
  const proxy = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const onward = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers });
    onward.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo; // a listening TCP server has one
  return {
    url: `http://localhost:${port}`,
    stop() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
