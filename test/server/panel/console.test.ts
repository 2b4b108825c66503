/** The lines of a console are cleaned and bounded, even if the node's stream ends early. */
import { expect } from 'chai';
import type { WebSocket } from 'ws';
import { lineOf, messageOf, nodeFailed, rawOf, useConsoleTest } from './start-console-test.ts';
import { identifier, refusalOf } from './start-panel-test.ts';

describe("the panel client's console", () => {
  const test = useConsoleTest();

  describe('with lines', () => {
    const dirty: Record<string, [sent: string, shown: string[]]> = {
      'colors and cursor movements': ['\u001b[33m\u001b[1mDone\u001b[0m (1.4s)\u001b[K', ['Done (1.4s)']],
      'titles and links for a terminal': ['\u001b]0;title\u0007a \u001b]8;;http://x\u001b\\link', ['a link']],
      'C1 controls': ['\u009b31mred\u0085 \u009dhidden\u009cshown', ['red shown']],
      'an escape that never ends': ['text\u001b[38;5', ['text']],
      'a carriage return that overwrites': ['loading 1%\rloading 99%\r', ['loading 99%']],
      'several lines in one': ['one\r\ntwo\nthree', ['one', 'two', 'three']],
      'separators of lines and paragraphs': ['one\u2028two\u2029three', ['one', 'two', 'three']],
      'control characters': ['a\u0000b\u0007c\td', ['abc    d']],
      'hidden and reordering characters': ['a\u202eb\u{e0041}c\ufeff', ['abc']],
      'instructions in characters that show nothing': [
        'a\ufe00\u{e01ef}b\u200b\u2060\u00ad\u3164\u115f\uffa0c\u180e\u2064\ufffb\u034f\u200dd',
        ['abcd'],
      ],
      'drawings in Braille, with its blank': ['\u28ff\u2800\u28ff', ['\u28ff\u2800\u28ff']],
      'emoji and scripts that need such characters': ['❤\ufe0f می\u200cخواهم', ['❤\ufe0f می\u200cخواهم']],
      'broken UTF-16': ['a\ud800b', ['a\ufffdb']],
      'a line that is too long': ['x'.repeat(5_000), ['x'.repeat(2_000)]],
      'a line cut within a character': [`${'x'.repeat(1_999)}🎮`, ['x'.repeat(1_999)]],
      emoji: ['👩‍🚀 grüßt 🎮', ['👩‍🚀 grüßt 🎮']],
    };
    it('shows them without terminal controls, and shortened', async () => {
      const rows = Object.values(dirty);
      const lines = await test.linesOf(...rows.map(([sent]) => sent));
      expect(lines).to.deep.equal(rows.flatMap(([, shown]) => shown));
    });

    it('replaces the broken characters of invalid UTF-8', async () => {
      test.on('send logs', (socket) => {
        const [before, after] = lineOf('a|b')
          .split('|')
          .map((part) => Buffer.from(part));
        const broken = Buffer.concat([before ?? Buffer.of(), Buffer.of(0xc3, 0x28), after ?? Buffer.of()]);
        socket.send(broken, { binary: false });
      });
      expect((await test.read()).lines).to.deep.equal(['a\ufffd(b']);
    });

    it('joins lines sent in pieces, and removes escapes that are cut in two', async () => {
      test.on('send logs', (socket) => {
        const bytes = Buffer.from(lineOf('\u001b[31mgrün 🎮\u001b[0m'));
        bytes.forEach((_, index) => {
          socket.send(bytes.subarray(index, index + 1), { fin: index === bytes.length - 1, binary: false });
        });
        for (const half of ['a\u001b[3', '1mb', 'c\u001b]0;ti', 'tle\u0007d']) socket.send(lineOf(half));
      });
      expect((await test.read()).lines).to.deep.equal(['grün 🎮', 'a', '1mb', 'c', 'tled']);
    });

    it('keeps at most the newest 128 KiB', async () => {
      const lines = await test.linesOf(
        ...Array.from({ length: 200 }, (_, index) => `${index} ${'ü'.repeat(1_900)}`),
      );
      const bytes = lines.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      expect(bytes).to.be.within(124 * 1024, 128 * 1024);
      expect(lines.at(-1)).to.match(/^199 /);
    });

    it('cleans lines of any content quickly', async () => {
      const worst = [
        '\u009d',
        '\u001b]',
        '\u001b[',
        '\u001bP',
        '\u0090',
        '\r',
        '\n',
        '\u001b[0',
        '\u{e0041}',
        'क\u200d',
        '❤\ufe0f\u200d',
      ];
      const runs = worst.map((text) => text.repeat(15_999 / text.length));
      for (const run of runs) {
        test.advance(5_000);
        const startedAt = process.cpuUsage().user;
        await test.linesOf(...Array.from({ length: 10 }, () => [run, `${run}x`]).flat());
        expect(process.cpuUsage().user - startedAt, JSON.stringify(run.slice(-8))).to.be.below(1_000_000);
      }
    });
  });

  describe('in the conversation with a node', () => {
    it('sends the panel’s origin, and no key or cookie', async () => {
      const seen: Record<string, unknown>[] = [];
      await test.readFrom((req, socket) => {
        seen.push(req.headers);
        socket.destroy();
      });
      const { origin } = new URL(test.standIn.url);
      expect(seen).to.have.lengthOf(1);
      expect(seen[0]).to.include({ origin }).and.not.have.any.keys('authorization', 'cookie');
    });

    it('continues after the first jwt error of an older node, and ends with the second', async () => {
      test.standIn.consoleLines.set(identifier, ['a line']);
      let isFirst = true;
      test.standIn.nodeScript.intercept = (socket, event) => {
        if (event === 'auth' && isFirst) socket.send(messageOf('jwt error', 'jwt: not authenticated'));
        isFirst = false;
        return false;
      };
      expect((await test.read()).lines).to.deep.equal(['a line']);
      test.advance(5_000);
      test.on('auth', (socket) => {
        for (const _ of [1, 2]) socket.send(messageOf('jwt error', 'jwt: invalid'));
      });
      expect((await refusalOf(test.read())).message).to.equal(nodeFailed);
    });

    it('shows the lines read so far of a server that never pauses', async () => {
      const timers: NodeJS.Timeout[] = [];
      test.on('send logs', (socket) => {
        timers.push(setInterval(() => socket.send(lineOf('again')), 5));
      });
      expect((await test.read()).lines).to.include('again');
      for (const timer of timers) clearInterval(timer);
    });

    it('shows no lines of a server that goes off in the meantime', async () => {
      test.on('send logs', (socket) => {
        socket.send(lineOf('Stopping the server'));
        socket.send(messageOf('status', 'offline'));
      });
      expect(await test.read()).to.deep.include({ state: 'offline', lines: [] });
    });

    it('reports unknown for a state that this API has no word for', async () => {
      test.standIn.runStates.set(identifier, 'paused');
      expect((await test.read()).state).to.equal('unknown');
    });

    for (const [what, bytes] of [
      ['cut off', (socket: WebSocket) => socket.terminate()],
      ['ended by a giant message', (socket: WebSocket) => socket.send(lineOf('x'.repeat(300_000)))],
      [
        'ended by an error of the node',
        (socket: WebSocket) => socket.send(messageOf('daemon error', 'Error')),
      ],
      ['ended by an expired token', (socket: WebSocket) => socket.send(messageOf('token expired'))],
      [
        'ended by bytes that are no frame',
        (socket: WebSocket) => rawOf(socket).write(Buffer.alloc(64, 0xff)),
      ],
    ] as const)
      it(`shows the lines of a stream that is ${what}, and fails if there were none`, async () => {
        test.on('send logs', (socket) => socket.send(lineOf('before'), () => bytes(socket)));
        expect((await test.read()).lines).to.deep.equal(['before']);
        test.advance(5_000);
        test.on('send logs', bytes);
        expect((await refusalOf(test.read())).message).to.equal(nodeFailed);
      });

    it('ignores messages that make no sense', async () => {
      test.on('send logs', (socket) => {
        for (const text of ['', '{', 'null', '[]', '{"event":1}', '{"event":"__proto__"}']) socket.send(text);
        socket.send(Buffer.of(0, 255, 0xd8, 0), { binary: true });
        socket.send(messageOf('constructor'));
        socket.send(messageOf('token expiring'));
        socket.send(messageOf('console output', { text: 'no string' }));
        socket.send(messageOf('install output', 'installing'));
        socket.send(lineOf('a line'));
      });
      expect((await test.read()).lines).to.deep.equal(['a line']);
    });
  });
});
