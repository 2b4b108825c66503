/**
 * A provisioning panel of the tests' own: a real HTTP server that behaves like a proper panel until told otherwise.
 *
 *     const panel = await startStandInPanel();              // { url, applicationKey, clientKey, ... }
 *     panel.servers.set(7, [panelServer({ identifier: 'a1b2c3d4' })]); // panel user 7 owns one server
 *     panel.failWith(429, 'ThrottleRequestsException', { headers: { 'Retry-After': '30' } }); // until recover()
 *     panel.respondWith({ status: 200, body: '<html>' });   // likewise, with any raw answer
 *     panel.respondWith('hang');                            // never answers; 'reset' breaks the connection
 *     panel.respondNext('reset', { status: 500 });          // the next two calls only, then as before
 *     panel.respondNext({ after: promise });                // a proper answer, once the promise is fulfilled
 *     panel.recover();                                      // a proper panel again
 *     panel.requests                                        // [{ method, path, headers, body, port }]
 *     panel.signals                                         // ['a1b2c3d4 start']: those it accepted
 *     panel.forget();                                       // empties both
 *     panel.closeResting();                                 // breaks connections that rest
 *     await panel.stop();
 *
 * A panel user without an entry in `servers` is unknown (404). Power answers 404 for a server nobody has,
 * 409 for a suspended one, 422 for a wrong signal, else 204.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  answerProperly,
  errorEnvelope,
  type PanelServerAttributes,
  type RawAnswer,
  type RecordedRequest,
} from './proper-panel.ts';

export { errorEnvelope, type PanelServerAttributes, panelServer, userWithServers } from './proper-panel.ts';

/** What the panel does with a call: an answer, silence, or a broken connection. */
export type Behaviour = RawAnswer | { after: Promise<unknown> } | 'hang' | 'reset';

export type StandInPanel = Awaited<ReturnType<typeof startStandInPanel>>;

export async function startStandInPanel() {
  const script = createScript();
  const requests: RecordedRequest[] = [];
  const signals: string[] = [];
  const state = {
    applicationKey: 'ptla_stand-in-application-key',
    clientKey: 'ptlc_stand-in-client-key',
    servers: new Map<number, PanelServerAttributes[]>(),
  };
  const http = createServer(async (req, res) => {
    const request = await record(req);
    requests.push(request);
    const properAnswer = () =>
      answerProperly(request, { ...state, accept: (signal) => signals.push(signal) });
    await behave(script.next(), res, properAnswer);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    ...state,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, // a listening TCP server has a port
    requests,
    signals,
    ...script.controls,
    forget() {
      requests.length = 0;
      signals.length = 0;
    },
    /** Closes the connections on which nothing is asked just now, as servers do after a while. */
    closeResting: () => http.closeIdleConnections(),
    async stop() {
      http.close();
      http.closeAllConnections();
    },
  };
}

function createScript() {
  const queued: Behaviour[] = [];
  let standing: Behaviour | undefined;
  const controls = {
    respondNext: (...behaviours: Behaviour[]) => queued.push(...behaviours),
    respondWith(behaviour: Behaviour) {
      standing = behaviour;
    },
    failWith(status: number, code: string, { detail, headers = {} }: FailureOptions = {}) {
      standing = { status, headers, body: errorEnvelope(status, code, detail) };
    },
    recover() {
      standing = undefined;
      queued.length = 0;
    },
  };
  return { next: () => queued.shift() ?? standing, controls };
}

export interface FailureOptions {
  detail?: string;
  headers?: Record<string, string>;
}

const record = async (req: IncomingMessage): Promise<RecordedRequest> => ({
  method: req.method ?? '',
  path: req.url ?? '',
  headers: req.headers,
  port: req.socket.remotePort,
  body: await text(req),
});

async function behave(behaviour: Behaviour | undefined, res: ServerResponse, properAnswer: () => RawAnswer) {
  if (behaviour === 'hang') return;
  if (behaviour === 'reset') {
    res.socket?.resetAndDestroy();
    return;
  }
  if (behaviour === undefined) return send(res, properAnswer());
  if (!('after' in behaviour)) return send(res, behaviour);
  await behaviour.after;
  send(res, properAnswer());
}

function send(res: ServerResponse, { status = 200, headers = {}, body }: RawAnswer) {
  const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  res.writeHead(status, { 'Content-Type': isRaw ? 'text/html' : 'application/json', ...headers });
  res.end(isRaw ? body : JSON.stringify(body));
}
