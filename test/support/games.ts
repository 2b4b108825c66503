/** Games that count how often they are asked, with any answers. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import * as demo from '../../server/panel/demo/games.ts';

export interface Game extends demo.Game {
  asked: number;
}

export async function startTcpGame(answer: (socket: Socket) => void, host?: string): Promise<Game> {
  const start = demo.startTcpGame((socket) => {
    game.asked += 1;
    answer(socket);
  }, host);
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

export const startMinecraft = (players: object, host?: string) =>
  startTcpGame((socket) => {
    const version = { name: '1.21.4', protocol: 769 };
    socket.end(demo.minecraftStatus({ version, players, description: 'A server' }));
  }, host);

interface Parts {
  bytes: number;
  isCompressed?: boolean;
}

/** @param parts how it sends the names, where not in one message */
export function startSource(players: demo.SourcePlayers, parts?: Parts) {
  const answer = demo.answerAsSource(players);
  return startUdpGame((question) =>
    answer(question).flatMap((message) =>
      parts && message[4] === 0x44 ? inParts(message, parts) : [message],
    ),
  );
}

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

export const startBedrock = (online: number, max: number) =>
  startUdpGame((question) =>
    question[0] === 1 ? [bedrockPong(['MCPE', 'A \\; server', 786, '1.21.70', online, max, '1', 'x'])] : [],
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
