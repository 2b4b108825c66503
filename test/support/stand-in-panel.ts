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
 *     panel.signals, panel.commands                         // ['a1b2c3d4 start']: those it accepted
 *     panel.forget();                                       // empties these three
 *     panel.runStates.set('a1b2c3d4', 'offline');           // running, unless said otherwise
 *     panel.limitRate({ application: 240, client: 720 }, clock); // a minute, with the headers that tell
 *     panel.closeResting();                                 // breaks connections that rest
 *     await panel.stop();
 *
 * A panel user without an entry in `servers` is unknown (404). Power answers 404 for an unknown server,
 * 409 for a suspended one, 422 for a wrong signal, else 204.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { errorEnvelope, type RawAnswer } from './panel-answers.ts';
import type { ClientApiState } from './proper-client-api.ts';
import {
  answerProperly,
  type PanelServerAttributes,
  type PanelUserAttributes,
  type RecordedRequest,
} from './proper-panel.ts';

export { errorEnvelope, type RawAnswer } from './panel-answers.ts';

export { panelServer, userWithServers } from './proper-panel.ts';

/** What the panel does with a call: an answer, silence, or a broken connection. */
export type Behaviour = RawAnswer | { after: Promise<unknown> } | 'hang' | 'reset';

export type StandInPanel = Awaited<ReturnType<typeof startStandInPanel>>;

interface StandInOptions {
  dialect?: ClientApiState['dialect'] | undefined;
}

export async function startStandInPanel({ dialect = 'pterodactyl' }: StandInOptions = {}) {
  const script = createScript();
  const requests: RecordedRequest[] = [];
  const limits = createLimits();
  const state: ClientApiState & {
    applicationKey: string;
    clientKey: string;
    servers: Map<number, PanelServerAttributes[]>;
    users: PanelUserAttributes[];
  } = {
    dialect,
    signals: [],
    commands: [],
    runStates: new Map(),
    backups: new Map(),
    applicationKey: 'ptla_stand-in-application-key',
    clientKey: 'ptlc_stand-in-client-key',
    servers: new Map(),
    users: [],
  };
  const http = createServer(async (req, res) => {
    const request = await record(req);
    requests.push(request);
    const limited = limits.count(request, res);
    if (limited) send(res, limited);
    else await behave(script.next(), res, () => answerProperly(request, state));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    ...state,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, // a listening TCP server has a port
    requests,
    ...script.controls,
    limitRate: limits.set,
    forget() {
      requests.length = 0;
      state.signals.length = 0;
      state.commands.length = 0;
    },
    /** Closes the connections on which nothing is asked just now, as servers do after a while. */
    closeResting: () => http.closeIdleConnections(),
    async stop() {
      http.close();
      http.closeAllConnections();
    },
  };
}

/** The panel's own rate limits: by the minute and by API, as all our calls are one user's. */
function createLimits() {
  let perMinute: Record<PanelApi, number> | null = null;
  let clock = Date.now;
  const windows = new Map<PanelApi, { endsAt: number; used: number }>();
  return {
    set(limits: Record<PanelApi, number>, now: () => number) {
      perMinute = limits;
      clock = now;
    },
    /** The refusal of a call over the limit. */
    count({ path }: RecordedRequest, res: ServerResponse): RawAnswer | null {
      if (!perMinute) return null;
      const api = path.startsWith('/api/client') ? 'client' : 'application';
      const last = windows.get(api);
      const window = last && clock() < last.endsAt ? last : { endsAt: clock() + 60_000, used: 0 };
      windows.set(api, window);
      window.used += 1;
      res.setHeader('X-RateLimit-Limit', perMinute[api]);
      res.setHeader('X-RateLimit-Remaining', Math.max(perMinute[api] - window.used, 0));
      if (window.used <= perMinute[api]) return null;
      const headers = { 'Retry-After': String(Math.ceil((window.endsAt - clock()) / 1000)) };
      return { status: 429, headers, body: errorEnvelope(429, 'ThrottleRequestsException') };
    },
  };
}

type PanelApi = 'application' | 'client';

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
