/** A webhook receiver: a real local server that keeps requests and answers as configured. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from './eventually.ts';

interface Received {
  headers: IncomingHttpHeaders;
  path: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape it expects
  body: any;
  /** By the clock of `performance`. */
  receivedAt: number;
}

export type WebhookReceiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver() {
  const received: Received[] = [];
  const silentPaths = new Set<string>();
  const atOnce = new Map<string, { now: number; most: number }>();
  const count = (path: string, by: 1 | -1) => {
    for (const each of [path, '']) {
      const { now, most } = atOnce.get(each) ?? { now: 0, most: 0 };
      atOnce.set(each, { now: now + by, most: Math.max(most, now + by) });
    }
  };
  let respond = (response: ServerResponse) => void response.writeHead(204).end();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    count(path, 1);
    response.once('close', () => count(path, -1));
    const body = await text(request);
    received.push({
      ...{ headers: request.headers, path, text: body },
      ...{ body: JSON.parse(body), receivedAt: performance.now() },
    });
    if (!silentPaths.has(path)) respond(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    origin: `http://127.0.0.1:${port}`,
    received,
    respondWith(status: number, headers: Record<string, string> = {}, body = '') {
      respond = (response) => void response.writeHead(status, headers).end(body);
    },
    respondAfter(ms: number) {
      respond = (response) => void setTimeout(() => response.writeHead(204).end(), ms);
    },
    /** Holds all answers from now on; the returned function releases them. */
    holdResponses() {
      const held: ServerResponse[] = [];
      respond = (response) => void held.push(response);
      return (status: number) => {
        for (const response of held.splice(0)) response.writeHead(status).end();
      };
    },
    hang() {
      respond = () => {};
    },
    hangAt(path: string) {
      silentPaths.add(path);
    },
    mostAtOnce: (path = '') => atOnce.get(path)?.most ?? 0,
    /** How often each event arrived, by its id. */
    countById(): Map<string, number> {
      const counts = new Map<string, number>();
      for (const { headers } of received) {
        const id = String(headers['webhook-id']);
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      return counts;
    },
    /** Resolves to the first `count` requests. */
    async waitFor(count: number, withinMs?: number): Promise<Received[]> {
      await eventually(async () => {
        if (received.length < count) throw new Error(`${received.length} of ${count} requests arrived`);
      }, withinMs);
      return received;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
