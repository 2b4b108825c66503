/** The demo panel, for use when none is configured. It answers the calls of our own client, and refuses little. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../routers/ports.ts';
import {
  notFound,
  type PanelAnswer,
  type ReceivedRequest,
  readRequest,
  refusal,
  refuseToken,
  sendPanelAnswer,
} from './answers.ts';
import { ConsoleNode } from './console-node.ts';
import { DemoServer } from './demo-server.ts';
import { type Game, games } from './games.ts';
import type { OpenLink, Panel } from './panel.ts';
import { answerServerCall } from './server-calls.ts';
import { startStatusServer } from './status-server.ts';
import { Tokens } from './tokens.ts';

/** The panel user of the service's demo user, who owns all servers. */
export const demoPanelUserId = 1;

export async function startDemoPanel({ clock = Date.now }: { clock?: Clock } = {}) {
  const hosts = await Promise.all(games.map((game, index) => startHost(game, index + 1, clock)));
  const demo = new DemoPanel(
    clock,
    hosts.map(({ server }) => server),
  );
  const http = createServer(async (req, res) => {
    try {
      sendPanelAnswer(res, await demo.answer(await readRequest(req)));
    } catch {
      res.destroy();
    }
  });
  http.on('upgrade', (...request) => demo.node.accept(...request));
  await once(http.listen(0, '127.0.0.1'), 'listening');
  demo.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // a listening TCP server has one
  return {
    url: demo.url,
    applicationKey: demo.applicationKey,
    clientKey: demo.clientKey,
    async stop() {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      demo.node.stop();
      for (const { status } of hosts) status.stop();
      await closed;
    },
  };
}

async function startHost(game: Game, id: number, clock: Clock) {
  const status = await startStatusServer(game.players, () => server.state() === 'running');
  const server: DemoServer = new DemoServer(game, { id, port: status.port, clock });
  return { server, status };
}

const createKey = (prefix: string) => prefix + randomBytes(24).toString('base64url');

class DemoPanel implements Panel {
  url = '';
  readonly applicationKey = createKey('ptla_');
  readonly clientKey = createKey('ptlc_');
  readonly clock: Clock;
  readonly node: ConsoleNode;
  readonly #servers: readonly DemoServer[];
  readonly #links: Tokens<OpenLink>;
  #work: { endsAt: number; finish(): void }[] = [];
  #lastId = 1;

  constructor(clock: Clock, servers: readonly DemoServer[]) {
    this.clock = clock;
    this.node = new ConsoleNode(clock, (uuid) => servers.find(({ attributes }) => attributes.uuid === uuid));
    this.#servers = servers;
    this.#links = new Tokens(clock);
  }

  newId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  issueToken(path: string, open: OpenLink): string {
    return this.#links.issue({ path }, open);
  }

  after(ms: number, finish: () => void): void {
    this.#work.push({ endsAt: this.clock() + ms, finish });
  }

  consoleAccess(uuid: string, host: string) {
    return this.node.issueToken(uuid, host, this.url);
  }

  answer(call: ReceivedRequest): ReturnType<OpenLink> {
    const ended = this.#work.filter(({ endsAt }) => endsAt <= this.clock());
    this.#work = this.#work.filter((work) => !ended.includes(work));
    for (const { finish } of ended) finish();
    const url = new URL(call.path, 'http://panel');
    return url.pathname.startsWith('/api/') ? this.#answerApi(call, url) : this.#answerBrowser(call, url);
  }

  #find(identifier = '') {
    return this.#servers.find(({ attributes }) => attributes.identifier === identifier);
  }

  #answerApi(call: ReceivedRequest, { pathname, searchParams: query }: URL): PanelAnswer {
    const isKnown = [this.applicationKey, this.clientKey].some(
      (key) => call.headers.authorization === `Bearer ${key}`,
    );
    if (!isKnown) return refusal(401, 'AuthenticationException');
    if (pathname === `/api/application/users/${demoPanelUserId}`) return presentOwner(this.#servers);
    if (pathname === '/api/application/users') return noUsers;
    if (pathname === '/api/client/account') return { body: { object: 'user', attributes: { admin: true } } };
    const [, identifier, rest = ''] = /^\/api\/client\/servers\/([^/]+)\/?(.*)$/.exec(pathname) ?? [];
    const server = this.#find(identifier);
    if (!server) return notFound();
    const { status } = server.attributes;
    if (status) return refusal(409, 'ServerStateConflictException', `This server is currently ${status}.`);
    return answerServerCall({ ...call, server, rest, query }, this);
  }

  #answerBrowser(call: ReceivedRequest, { pathname, searchParams }: URL): ReturnType<OpenLink> {
    if (/^\/(download|upload)\//.test(pathname))
      return this.#links.take(searchParams.get('token') ?? '')?.(call) ?? refuseToken(call);
    const server = this.#find(/^\/server\/(\w+)$/.exec(pathname)?.[1]);
    if (!server) return notFound();
    const { name, status } = server.attributes;
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    return { headers, body: `${name}: ${status ?? server.state()}\n` };
  }
}

const noUsers: PanelAnswer = { body: { object: 'list', data: [] } };

function presentOwner(servers: readonly DemoServer[]): PanelAnswer {
  const data = servers.map(({ attributes }) => ({ object: 'server', attributes }));
  const user = { id: demoPanelUserId, external_id: null, email: 'dana@panel.example' };
  const relationships = { servers: { object: 'list', data } };
  return { body: { object: 'user', attributes: { ...user, relationships } } };
}
