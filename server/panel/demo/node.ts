/** The console sockets of a Wings node: checks where the panel is and the token, then sends the state and the lines. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ServerAttributes } from './emulated-panel.ts';

/** May take over what a node does with a message; returns whether it did. */
export type Intercept = (socket: WebSocket, event: string) => boolean;

interface EmulatedNode {
  /** The panel's own address, as the node has it. */
  origin(): string;
  /** The same, as the panel signs it; it may be told otherwise. */
  issuer?(): string;
  serverOf(uuid: string): ServerAttributes | undefined;
  /** What a server does and uses now. */
  resourcesOf(server: ServerAttributes): PanelStats;
  /** Of its console, oldest first. */
  linesOf(server: ServerAttributes): readonly string[];
  intercept?: Intercept;
}

const messageBytesMax = 16 * 1024;
const tokensMax = 100;
const tokenLifetimeSeconds = 600;

export function createNode(node: EmulatedNode) {
  const { origin, issuer = origin, serverOf } = node;
  /** The uuids of servers by the tokens that admit to their consoles. */
  const tokens = new Map<string, string>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax });
  return {
    /** For the panel's call `websocket`. */
    admit({ uuid }: ServerAttributes, host: string) {
      const token = createToken(issuer());
      tokens.set(token, uuid);
      for (const oldest of tokens.keys()) if (tokens.size > tokensMax) tokens.delete(oldest);
      return { token, socket: `ws://${host}/api/servers/${uuid}/ws` };
    },
    /** Serves at the panel's own address. */
    attach(http: Server) {
      http.on('upgrade', (req, stream: Duplex, head: Buffer) => {
        const [, uuid = ''] = /^\/api\/servers\/([^/]+)\/ws$/.exec(req.url ?? '') ?? [];
        const server = serverOf(uuid);
        const status = req.headers.origin !== origin() ? '403 Forbidden' : server ? null : '404 Not Found';
        if (status || !server) return void stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
        const isAdmitted = (token: string) => tokens.get(token) === uuid;
        sockets.handleUpgrade(req, stream, head, (socket) => serve(socket, server, { ...node, isAdmitted }));
      });
    },
    stop() {
      for (const socket of sockets.clients) socket.terminate();
    },
    sockets: sockets.clients,
  };
}

/** As a panel signs it for its node: it names the panel's own address. */
function createToken(iss: string) {
  const exp = Math.floor(Date.now() / 1000) + tokenLifetimeSeconds;
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { iss, exp },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...parts, randomBytes(32).toString('base64url')].join('.');
}

function serve(
  socket: WebSocket,
  server: ServerAttributes,
  {
    isAdmitted,
    intercept = () => false,
    resourcesOf,
    linesOf,
  }: EmulatedNode & { isAdmitted(token: string): boolean },
) {
  let isAuthenticated = false;
  const stateNow = () => resourcesOf(server).current_state;
  const send = (event: string, ...args: string[]) =>
    socket.send(JSON.stringify(args.length > 0 ? { event, args } : { event }));
  const sendStats = () => send('stats', JSON.stringify(toNodeStats(resourcesOf(server))));
  socket.on('error', () => socket.terminate());
  socket.on('message', (data) => {
    const { event, args } = JSON.parse(String(data));
    if (intercept(socket, event)) return;
    if (event === 'auth' && isAdmitted(args[0])) {
      isAuthenticated = true;
      send('auth success');
      send('status', stateNow());
      if (stateNow() === 'offline') sendStats();
    } else if (!isAuthenticated) send('daemon error', `Error Event [${randomUUID()}]: ${unexpected}`);
    else if (event === 'send stats') sendStats();
    else if (event === 'send logs' && stateNow() !== 'offline')
      for (const line of linesOf(server)) send('console output', line);
  });
}

const unexpected = 'an unexpected error was encountered while handling this request';

/** The figures of a panel's call `resources`, in a node's own words. */
function toNodeStats({ current_state: state, resources }: PanelStats) {
  const { network_rx_bytes, network_tx_bytes, ...figures } = resources;
  const network = { rx_bytes: network_rx_bytes, tx_bytes: network_tx_bytes };
  return { ...figures, memory_limit_bytes: 0, network, state };
}

type Figure =
  | 'memory_bytes'
  | 'cpu_absolute'
  | 'disk_bytes'
  | 'network_rx_bytes'
  | 'network_tx_bytes'
  | 'uptime';

export interface PanelStats {
  current_state: string;
  resources: Record<Figure, number>;
}
