/** Games that count how often they are asked, with any answers. */
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

/** @param partBytes sends the names in parts of so many bytes */
export function startSource(players: demo.SourcePlayers, partBytes?: number) {
  const answer = demo.answerAsSource(players);
  return startUdpGame((question) =>
    answer(question).flatMap((message) =>
      partBytes && message[4] === 0x44 ? inParts(message, partBytes) : [message],
    ),
  );
}

function inParts(message: Buffer, partBytes: number): Buffer[] {
  const total = Math.ceil(message.length / partBytes);
  return Array.from({ length: total }, (_, number) => {
    const head = Buffer.from([0xfe, 0xff, 0xff, 0xff, 7, 0, 0, 0, total, number, 0, 0]);
    return Buffer.concat([head, message.subarray(number * partBytes, (number + 1) * partBytes)]);
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
