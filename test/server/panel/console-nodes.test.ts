/** Consoles of misbehaving nodes stay within bounds of time, memory and sockets, and reveal no secret. */
import { createServer } from 'node:https';
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { readConsoleSocket } from '../../../server/panel/console-socket.ts';
import { panelDefaults } from '../../../server/panel/options.ts';
import { listenLocally } from '../../support/local-server.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { lineOf, messageOf, nodeFailed, rawOf, times, useConsoleTest } from './start-console-test.ts';
import { listOwned, ownerId, refusalOf } from './start-panel-test.ts';

describe("the panel client's reading of consoles", () => {
  const test = useConsoleTest();

  it('answers callers soon, with no lines, if a node sends none', async () => {
    test.on('send logs', () => {});
    expect((await test.read()).lines).to.deep.equal([]);
  });

  describe('from a bad node', () => {
    const test = useConsoleTest({ handshakeMs: 200, authMs: 200 });

    it('answers 502 if the node refuses the Origin', async () => {
      test.standIn.nodeScript.origin = 'https://other.example';
      expect((await refusalOf(test.read())).message).to.equal(nodeFailed);
    });

    const accepts = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n';
    for (const [what, bytes] of [
      ['closes at once', null],
      ['never completes the handshake', ''],
      ['speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
      ['accepts with a wrong key', `${accepts}Sec-WebSocket-Accept: d3Jvbmc=\r\n\r\n`],
      ['sends headers without end', accepts + 'a: b\r\n'.repeat(200_000)],
      ['sends interim responses only', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)],
    ] as const)
      it(`answers 502 and sends no token if the node ${what}`, async () => {
        const sent: string[] = [];
        const outcome = await test.readFrom((_req, socket) => {
          socket.on('data', (data) => sent.push(String(data)));
          if (bytes === null) socket.destroy();
          else socket.write(bytes);
        });
        expect(outcome).to.have.property('message', nodeFailed);
        expect(sent).to.deep.equal([]);
      });

    for (const [what, messages] of [
      ['is silent after auth', []],
      ['refuses the token and is silent then', [messageOf('jwt error', 'jwt: exp claim is invalid')]],
    ] as const)
      it(`answers 502 if the node ${what}`, async () => {
        test.on('auth', (socket) => {
          for (const message of messages) socket.send(message);
        });
        expect((await refusalOf(test.read())).message).to.equal(nodeFailed);
      });

    it('ends in less than 5 seconds in total if each step is slow', async () => {
      test.on('auth', () => {});
      const { token, socket } = test.standIn.consoleAccess(
        panelServer().uuid,
        new URL(test.standIn.url).host,
      );
      const settings = { url: test.standIn.url, consoleTimes: { ...times, authMs: 60_000, wholeMs: 100 } };
      const failure = await readConsoleSocket({ token, socket }, settings).catch((error: unknown) => error);
      expect(String(failure)).to.include('it took too long');
      expect(panelDefaults.consoleTimes.wholeMs).to.be.below(5_000);
    });

    it("answers 502 and does not follow the node's redirect", async () => {
      const target = test.standIn.url;
      const answer = `HTTP/1.1 302 Found\r\nLocation: ${target}/\r\nConnection: close\r\n\r\n`;
      expect(await test.readFrom((_req, socket) => void socket.end(answer))).to.have.property(
        'message',
        nodeFailed,
      );
      expect(test.standIn.requests.filter(({ path }) => path === '/')).to.deep.equal([]);
    });

    for (const address of [
      ...['http://127.0.0.1:1/', 'wss://user:password@node.example/', 'ws://169.254.169.254/', 'nonsense'],
      ...['ws://[fe80::1]/', 'ws://[::ffff:169.254.169.254]/', 'ws://0.0.0.0:80/', 'file:///etc/passwd'],
      ...['ws://[fd20:ce::254]/', 'ws://192.0.0.192/', 'ws://[64:ff9b:1::a9fe:a9fe]/'],
    ])
      it(`never calls the node at ${address}`, async () => {
        test.standIn.nodeScript.access = { socket: address };
        const { status, cause } = await refusalOf(test.read());
        expect(status).to.equal(502);
        expect(String(cause)).to.include('the address of a console is not that of a node');
      });

    it('never calls the node unencrypted if the panel uses encryption', async () => {
      const access = { token: 'token', socket: 'ws://127.0.0.1:1/' };
      const settings = { url: 'https://panel.example', consoleTimes: times };
      const failure = await readConsoleSocket(access, settings).catch((error: unknown) => error);
      expect(String(failure)).to.include('is not that of a node');
    });

    it('sends no request, and so no token, to an untrusted certificate', async () => {
      let upgrades = 0;
      const node = createServer(selfSigned).on('upgrade', () => {
        upgrades += 1;
      });
      const { url, stop } = await listenLocally(node);
      const access = { token: 'token', socket: url.replace('http:', 'wss:') };
      const settings = { url: 'https://panel.example', consoleTimes: times };
      const failure = await readConsoleSocket(access, settings).catch((error: unknown) => error);
      expect(String(failure)).to.match(/node .*self-signed certificate/);
      expect(upgrades).to.equal(0);
      await stop();
    });

    it('opens no circuit, so that power still works', async () => {
      test.standIn.nodeScript.origin = 'https://other.example';
      for (let attempt = 0; attempt < 10; attempt += 1) {
        test.advance(5_000);
        await refusalOf(test.read());
      }
      await test.power();
    });

    it('hides address and token in refusals, and logs the address without the token', async () => {
      const { host } = new URL(test.standIn.url);
      test.on('auth', (socket) => socket.close(1011, 'no'));
      const refusal = await refusalOf(test.read());
      expect(refusal.message).not.to.include('127.0.0.1');
      expect(String(refusal.cause))
        .to.include(host)
        .and.not.match(/[\w-]{32}/);
    });
  });

  describe('from a node that floods', () => {
    const flood = (send: (socket: WebSocket) => void) =>
      test.on('send logs', (socket) => {
        const pour = () => {
          for (let count = 0; count < 200 && socket.readyState === socket.OPEN; count += 1) send(socket);
          if (socket.readyState === socket.OPEN) setImmediate(pour);
        };
        pour();
      });

    for (const [what, send] of [
      ['lines', (socket: WebSocket) => socket.send(lineOf('flood '.repeat(100)))],
      ['long lines', (socket: WebSocket) => socket.send(lineOf('x'.repeat(100_000)))],
      ['empty messages', (socket: WebSocket) => socket.send('')],
      ['pings', (socket: WebSocket) => socket.ping('x'.repeat(100))],
      ['fragments', (socket: WebSocket) => socket.send('x', { fin: false })],
    ] as const)
      it(`cuts off ${what} within bounded memory`, async () => {
        flood(send);
        let received = 0;
        const poll = setInterval(() => {
          for (const socket of test.standIn.node.sockets)
            received = rawOf(socket).bytesWritten - rawOf(socket).writableLength;
        }, 1);
        await test.read().catch(() => {});
        clearInterval(poll);
        // Data in the system's buffers from before the connection broke does not count.
        expect(received).to.be.below(16 * 1024 * 1024);
      });
  });

  for (const [what, firstByte] of [
    ['messages', 0x81],
    ['pings', 0x89],
    ['pongs', 0x8a],
  ] as const)
    it(`stops early at thousands of empty ${what}`, async () => {
      test.on('send logs', (socket) => {
        rawOf(socket).write(Buffer.alloc(2 * 5_000).map((_, index) => (index % 2 === 0 ? firstByte : 0)));
        socket.send(lineOf('after them'));
      });
      const lines = await test.read().then(
        (read) => read.lines,
        () => [],
      );
      expect(lines).to.deep.equal([]);
    });

  describe('by many callers at once', () => {
    const addServers = (count: number) =>
      test.standIn.servers.set(
        ownerId,
        Array.from({ length: count }, (_, index) => {
          const id = `server${String(index).padStart(2, '0')}`;
          return panelServer({ identifier: id, uuid: `${id}-uuid`, node: index });
        }),
      );

    it('opens at most ten sockets, and all callers get their lines', async () => {
      addServers(25);
      let most = 0;
      test.standIn.nodeScript.intercept = () => {
        most = Math.max(most, test.standIn.node.sockets.size);
        return false;
      };
      const read25 = await Promise.all(Array.from({ length: 25 }, (_, index) => test.read(index)));
      expect(read25.map(({ state }) => state)).to.deep.equal(Array(25).fill('running'));
      expect(most).to.be.within(2, 10);
    });

    for (const [count, most] of [
      [25, 10],
      [1, 1],
    ] as const)
      it(`opens at most ${most} of ${count} sockets, including those that read states of servers`, async () => {
        addServers(count);
        const waits = { queueMs: 60_000, liveWaitMs: 60_000, consoleWaitMs: 60_000 };
        const { panel, power } = test.createClient(waits);
        const servers = await listOwned(panel, ownerId);
        await Promise.all(servers.map(({ identifier }) => power(identifier)));
        let open = 0;
        test.standIn.nodeScript.intercept = () => {
          open = Math.max(open, test.standIn.node.sockets.size);
          return false;
        };
        const consoles = servers.map((server) => panel.readConsole(server, 'req-1'));
        const states = await panel.getStates(servers, 'req-1');
        const read = [...states, ...(await Promise.all(consoles))].map(({ state }) => state);
        expect(read).to.deep.equal(Array(2 * count).fill('running'));
        expect(open).to.be.within(1, most);
      });

    it('shares one socket for all callers of one server', async () => {
      let opened = 0;
      test.standIn.nodeScript.intercept = (_socket, event) => {
        if (event === 'auth') opened += 1;
        return false;
      };
      await Promise.all(Array.from({ length: 50 }, () => test.read()));
      expect(opened).to.equal(1);
    });

    it('refuses further callers in our words when too many wait', async () => {
      addServers(60);
      const list = await test.list();
      test.standIn.respondWith('hang');
      const outcomes = list.map((server) =>
        test.panel.readConsole(server, 'req-1').catch(({ message: told }: Error) => told),
      );
      expect(await outcomes[59]).to.equal('The panel is busy; try again later');
      await test.standIn.stop();
      await Promise.all(outcomes);
    });
  });
});
