/** The console sockets of a node: each sends the state and the lines of one server. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../routers/ports.ts';
import type { GameServer, PanelStats } from './panel.ts';
import { Tokens } from './tokens.ts';

const messageBytesMax = 16 * 1024;

export class ConsoleNode {
  readonly #find: (uuid: string) => GameServer | undefined;
  /** The value is the uuid of a server. */
  readonly #tokens: Tokens<string>;
  readonly #http = new WebSocketServer({ noServer: true, maxPayload: messageBytesMax });
  readonly sockets = this.#http.clients;

  constructor(clock: Clock, find: (uuid: string) => GameServer | undefined) {
    this.#find = find;
    this.#tokens = new Tokens(clock);
  }

  issueToken(uuid: string, host: string, iss: string) {
    return { token: this.#tokens.issue({ iss }, uuid), socket: `ws://${host}/api/servers/${uuid}/ws` };
  }

  accept(req: IncomingMessage, stream: Duplex, head: Buffer): void {
    const [, uuid = ''] = /^\/api\/servers\/([^/]+)\/ws$/.exec(req.url ?? '') ?? [];
    const server = this.#find(uuid);
    if (!server) return void stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    this.#http.handleUpgrade(req, stream, head, (socket) => {
      const session = { socket, server, isAuthenticated: false };
      socket.on('error', () => socket.terminate());
      socket.on('message', (data) => this.answer(session, JSON.parse(String(data))));
    });
  }

  stop(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  protected answer(session: Session, { event, args }: ConsoleMessage): void {
    const { server, socket } = session;
    const stats = server.stats();
    const isOff = stats.current_state === 'offline';
    const send = (name: string, ...sent: string[]) =>
      socket.send(JSON.stringify({ event: name, ...(sent.length > 0 && { args: sent }) }));
    if (event === 'auth' && this.#tokens.get(args[0] ?? '') === server.attributes.uuid) {
      session.isAuthenticated = true;
      send('auth success');
      send('status', stats.current_state);
      if (isOff) send('stats', toNodeStats(stats));
    } else if (!session.isAuthenticated) send('daemon error', `Error Event [${randomUUID()}]: ${unexpected}`);
    else if (event === 'send stats') send('stats', toNodeStats(stats));
    else if (event === 'send logs' && !isOff) for (const line of server.lines()) send('console output', line);
  }
}

const unexpected = 'an unexpected error was encountered while handling this request';

export interface Session {
  socket: WebSocket;
  server: GameServer;
  isAuthenticated: boolean;
}

export interface ConsoleMessage {
  event: string;
  args: string[];
}

function toNodeStats({ current_state: state, resources }: PanelStats): string {
  const { network_rx_bytes, network_tx_bytes, ...figures } = resources;
  const network = { rx_bytes: network_rx_bytes, tx_bytes: network_tx_bytes };
  return JSON.stringify({ ...figures, memory_limit_bytes: 0, network, state });
}
