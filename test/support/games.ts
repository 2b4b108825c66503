/** Games on this machine that answer who plays, in the three protocols, or with any bytes. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

export interface Game {
  port: number;
  /** How often it was asked. */
  asked: number;
  stop(): Promise<void>;
}

/** @param answer what it does with a connection that has asked for the status */
export async function startTcpGame(answer: (socket: Socket) => void, host = '127.0.0.1'): Promise<Game> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      game.asked += 1;
      answer(socket);
    });
  }).listen(0, host);
  await once(server, 'listening');
  const game: Game = {
    port: (server.address() as AddressInfo).port,
    asked: 0,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return game;
}

/** The packet of a status. */
export function statusPacket(status: unknown): Buffer {
  const text = Buffer.from(typeof status === 'string' ? status : JSON.stringify(status));
  const body = Buffer.concat([Buffer.of(0), varInt(text.length), text]);
  return Buffer.concat([varInt(body.length), body]);
}

function varInt(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

export const startMinecraft = (players: object, host?: string) =>
  startTcpGame((socket) => {
    socket.end(
      statusPacket({ version: { name: '1.21.4', protocol: 769 }, players, description: 'A server' }),
    );
  }, host);

/** @param answer the datagrams it sends back */
export async function startUdpGame(answer: (question: Buffer) => Buffer[], port = 0): Promise<Game> {
  const socket = createSocket('udp4');
  const game: Game = {
    port: 0,
    asked: 0,
    async stop() {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (question, { port: from, address }) => {
    game.asked += 1;
    for (const datagram of answer(question)) socket.send(datagram, from, address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  game.port = socket.address().port;
  return game;
}

const header = Buffer.alloc(4, 0xff);
const text = (value: string) => Buffer.from(`${value}\0`);

export interface SourcePlayers {
  players: number;
  bots: number;
  max: number;
  names: readonly string[] | null;
  /** Sends the names in parts of so many bytes. */
  partBytes?: number;
}

/** Asks for a challenge first, as games do since 2020. */
function sourceAnswers({ players, bots, max, names, partBytes }: SourcePlayers) {
  const challenge = Buffer.of(1, 2, 3, 4);
  const info = Buffer.concat([
    ...[header, Buffer.of(0x49, 17), text('A server'), text('de_dust2'), text('csgo'), text('CS')],
    ...[Buffer.of(0, 0, players, max, bots), Buffer.from('dl\0\x01', 'latin1'), text('1.0')],
  ]);
  const entries = (names ?? []).map((name, index) =>
    Buffer.concat([Buffer.of(index), text(name), Buffer.alloc(8)]),
  );
  const list = Buffer.concat([header, Buffer.of(0x44, entries.length), ...entries]);
  return (question: Buffer): Buffer[] => {
    if (!question.subarray(-4).equals(challenge))
      return [Buffer.concat([header, Buffer.of(0x41), challenge])];
    if (question[4] === 0x54) return [info];
    return names === null ? [] : partBytes ? inParts(list, partBytes) : [list];
  };
}

function inParts(message: Buffer, partBytes: number): Buffer[] {
  const total = Math.ceil(message.length / partBytes);
  return Array.from({ length: total }, (_, number) => {
    const head = Buffer.from([0xfe, 0xff, 0xff, 0xff, 7, 0, 0, 0, total, number, 0, 0]);
    return Buffer.concat([head, message.subarray(number * partBytes, (number + 1) * partBytes)]);
  });
}

export const startSource = (players: SourcePlayers, port?: number) =>
  startUdpGame(sourceAnswers(players), port);

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
