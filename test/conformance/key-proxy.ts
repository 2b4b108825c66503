/** Adds a key to every request to a service, for suites without an option for headers. Host and Origin stay. */
import { createServer, request } from 'node:http';
import { listenLocally } from '../support/local-server.ts';

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
  const { port, stop } = await listenLocally(proxy);
  return { url: `http://localhost:${port}`, stop };
}
