/** Games that count how often they are asked, with any answers. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { retry } from '../../models/support/retry.ts';
import * as demo from '../../server/panel/demo/games.ts';

export interface Game extends demo.Game {
  asked: number;
}

export async function startTcpGame(
  answer: (socket: Socket) => void,
  at?: { host?: string; port?: number },
): Promise<Game> {
  const start = demo.startTcpGame((socket) => {
    game.asked += 1;
    answer(socket);
  }, at);
  const game = Object.assign(await start, { asked: 0 });
  return game;
}

export async function startUdpGame(answer: (question: Buffer) => readonly Buffer[]): Promise<Game> {
  const start = demo.startUdpGame((question) => {
    game.asked += 1;
    return answer(question);
  });
  const game = Object.assign(await start, { asked: 0 });
  return game;
}

/** @param others fields of its status, such as those of Forge */
export const startMinecraft = (players: object, others: object = {}) =>
  startTcpGame((socket) => {
    const version = { name: '1.21.4', protocol: 769 };
    socket.end(demo.minecraftStatus({ version, ...others, players, description: 'A server' }));
  });

interface Parts {
  bytes: number;
  isCompressed?: boolean;
}

/** What a game of Source may tell besides: the port of its players, and its tags. */
interface Extra {
  port?: number;
  tags?: string;
}

interface SourceOptions {
  /** How it sends the names, where not in one message. */
  parts?: Parts;
  extra?: Extra;
}

export function answerAsSource(players: demo.SourcePlayers, { parts, extra }: SourceOptions = {}) {
  const answer = demo.answerAsSource(players);
  return (question: Buffer) =>
    answer(question).flatMap((message) => {
      if (extra && message[4] === 0x49) return [Buffer.concat([message, extraOf(extra)])];
      return parts && message[4] === 0x44 ? inParts(message, parts) : [message];
    });
}

export const startSource = (players: demo.SourcePlayers, options?: SourceOptions) =>
  startUdpGame(answerAsSource(players, options));

/** With an id of the server and the port of its television between them, as games send them. */
function extraOf({ port, tags }: Extra): Buffer {
  const flags = (port === undefined ? 0 : 0x80) | 0x10 | 0x40 | (tags === undefined ? 0 : 0x20);
  const portBytes = port === undefined ? [] : [port & 0xff, port >> 8];
  const television = [Buffer.of(0x9c, 0x69), Buffer.from('TV\0')];
  const tagBytes = tags === undefined ? [] : [Buffer.from(`${tags}\0`)];
  return Buffer.concat([Buffer.of(flags, ...portBytes), Buffer.alloc(8, 1), ...television, ...tagBytes]);
}

/** A game that is asked over UDP, and a remote console over TCP at the same port. */
export const startWithConsole = (answer: (question: Buffer) => readonly Buffer[]) =>
  // Another process may have the port that is free for UDP.
  retry(
    async () => {
      const game = await startUdpGame(answer);
      const { port, stop } = game;
      const console = await startTcpGame((socket) => socket.destroy(), { port }).catch(async (failure) => {
        await stop();
        throw failure;
      });
      return Object.assign(game, {
        console,
        stop: () => Promise.all([stop(), console.stop()]).then(() => {}),
      });
    },
    { when: () => true, triesMax: 5 },
  );

function inParts(message: Buffer, { bytes, isCompressed }: Parts): Buffer[] {
  const total = Math.ceil(message.length / bytes);
  return Array.from({ length: total }, (_, number) => {
    const id = [7, 0, 0, isCompressed ? 0x80 : 0];
    const head = Buffer.from([0xfe, 0xff, 0xff, 0xff, ...id, total, number, 0, 0]);
    return Buffer.concat([head, message.subarray(number * bytes, (number + 1) * bytes)]);
  });
}

export function bedrockPong(fields: readonly (string | number)[]): Buffer {
  const magic = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
  const words = Buffer.from(fields.join(';'));
  const length = Buffer.of(words.length >> 8, words.length & 0xff);
  return Buffer.concat([Buffer.of(0x1c), Buffer.alloc(16), magic, length, words]);
}

export const startBedrock = (online: number, max: number, name = 'A \\; server') =>
  startUdpGame((question) =>
    question[0] === 1 ? [bedrockPong(['MCPE', name, 786, '1.21.70', online, max, '1', 'x'])] : [],
  );

/** Another port than the one that was asked sends the answer. */
export async function startAnsweredElsewhere(): Promise<Game> {
  const [asked, other] = [createSocket('udp4'), createSocket('udp4')];
  const game = {
    port: 0,
    asked: 0,
    async stop() {
      asked.close();
      other.close();
    },
  };
  asked.on('message', (_, { port, address }) => {
    game.asked += 1;
    other.send(bedrockPong(['MCPE', 'x', 786, '1.21.70', 1, 5]), port, address);
  });
  asked.bind(0, '127.0.0.1');
  await once(asked, 'listening');
  game.port = asked.address().port;
  return game;
}
