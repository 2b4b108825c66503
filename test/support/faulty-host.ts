/** A host in front of a service, whose next answers are lost, late or not those of the service. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from './local-server.ts';

/** `lost` and `late`: the service does what the request asks. */
export type Fault =
  | 'lost'
  | 'late'
  | { status: number; headers?: Record<string, string>; body?: string | Buffer };

interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** @param target the address of the service; without one, every answer must be a fault */
export async function startFaultyHost(target = '') {
  const received: Received[] = [];
  let faults: Fault[] = [];
  const server = createServer(async (req, res) => {
    const { method = '', url: path = '', headers } = req;
    received.push({ method, path, headers });
    const fault = faults.shift();
    const sent = await buffer(req);
    if (typeof fault === 'object') return res.writeHead(fault.status, fault.headers).end(fault.body);
    const { host, connection, 'content-length': length, ...passed } = headers as Record<string, string>;
    const body = sent.length > 0 ? new Uint8Array(sent) : null;
    const answer = await fetch(target + path, { method, headers: passed, body });
    const text = await answer.text();
    if (fault === 'lost') return res.destroy();
    if (fault === 'late') return;
    const { 'content-encoding': _, 'content-length': __, ...kept } = Object.fromEntries(answer.headers);
    return res.writeHead(answer.status, kept).end(text);
  });
  return {
    ...(await listenLocally(server)),
    /** Forgets earlier requests; the next ones get these answers, and later ones those of the service. */
    answerNext(...next: Fault[]) {
      received.length = 0;
      faults = next;
    },
    received,
  };
}
