/** A panel client and a node whose consoles it reads, with short time limits for each step. */
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.ts';
import { listenLocally } from '../../support/local-server.ts';
import { useForEach } from '../../support/use-started.ts';
import { identifier, startPanelTest } from './start-panel-test.ts';

export const times = {
  ...{ handshakeMs: 2_000, authMs: 1_000, firstLineMs: 300 },
  ...{ quietMs: 100, burstMs: 300, wholeMs: 4_000 },
};

/** The error of a read that failed at the node. */
export const nodeFailed = 'The machine that hosts the server did not carry out the request; try again later';

export const messageOf = (event: string, ...args: unknown[]) => JSON.stringify({ event, args });
export const lineOf = (text: string) => messageOf('console output', text);

/** The connection below a WebSocket. */
export const rawOf = (socket: WebSocket) => (socket as unknown as { _socket: Socket })._socket;

type OnUpgrade = (req: { headers: Record<string, unknown> }, socket: Socket) => unknown;

/** One for each test of a `describe`. */
export const useConsoleTest = (changed?: Partial<typeof times>) =>
  useForEach(() => startConsoleTest(changed));

async function startConsoleTest(changed: Partial<typeof times> = {}) {
  const test = await startPanelTest({ consoleTimes: { ...times, ...changed } });
  const { standIn, panel } = test;

  async function read(index = 0) {
    const server = (await test.list())[index];
    if (!server) throw new Error('the owner has no such server');
    return panel.readConsole(server, 'req-1');
  }

  return {
    ...test,
    read,
    async linesOf(...lines: string[]) {
      standIn.consoleLines.set(identifier, lines);
      return (await read()).lines;
    },
    /** Makes the node do this on an event, and nothing else. */
    on(event: string, act: (socket: WebSocket) => void) {
      standIn.nodeScript.intercept = (socket, got) => {
        if (got !== event) return false;
        act(socket);
        return true;
      };
    },
    /** Reads while the panel gives a node of the test as the server's. */
    async readFrom(onUpgrade: OnUpgrade): Promise<unknown> {
      const node = await startNode(onUpgrade);
      standIn.nodeScript.access = { socket: node.url };
      const outcome = await read().catch((error: unknown) => error);
      await node.stop();
      return outcome;
    },
    /** Fails unless every socket has been closed. */
    async stop() {
      await eventually(async () => expect(standIn.node.sockets.size).to.equal(0), 2_000);
      await test.stop();
    },
  };
}

async function startNode(onUpgrade: OnUpgrade) {
  const sockets: Socket[] = [];
  const node = createServer().on('upgrade', (req, socket) => {
    sockets.push(socket as Socket); // plain HTTP always has a Socket
    socket.on('error', () => {});
    onUpgrade(req, socket as Socket);
  });
  const { url, stop } = await listenLocally(node);
  const isOpen = ({ destroyed, readableEnded }: Socket) => !destroyed && !readableEnded;
  return {
    url: url.replace('http:', 'ws:'),
    /** Fails unless the caller has closed every connection. */
    async stop() {
      await eventually(async () => expect(sockets.filter(isOpen)).to.deep.equal([]));
      for (const socket of sockets) socket.destroy();
      await stop();
    },
  };
}
