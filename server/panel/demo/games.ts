/** Games on this machine that answer who plays: Minecraft's status over TCP, and the queries of Source over UDP. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface Game {
  port: number;
  stop(): Promise<void>;
}

/** @param answer what it does with a connection whose first bytes have come */
export async function startTcpGame(
  answer: (socket: Socket) => void,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Game> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => answer(socket));
  }).listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // a listening TCP server has one
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** @param answer the datagrams that it sends back */
export async function startUdpGame(answer: (question: Buffer) => readonly Buffer[]): Promise<Game> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    for (const datagram of answer(question)) socket.send(datagram, port, address);
  });
  socket.on('error', () => {}); // an answer that cannot be sent
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    async stop() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** @param status its JSON, or any text in its place */
export function minecraftStatus(status: object | string): Buffer {
  const text = Buffer.from(typeof status === 'string' ? status : JSON.stringify(status));
  const body = Buffer.concat([Buffer.of(0), varInt(text.length), text]);
  return Buffer.concat([varInt(body.length), body]);
}

function varInt(value: number): Buffer {
  return value < 0x80
    ? Buffer.of(value)
    : Buffer.concat([Buffer.of((value & 0x7f) | 0x80), varInt(value >> 7)]);
}

export interface SourcePlayers {
  /** Bots among them. */
  players: number;
  bots?: number;
  max: number;
  /** Null: it does not answer who they are. */
  names: readonly string[] | null;
}

const single = Buffer.alloc(4, 0xff);
const text = (value: string) => Buffer.from(`${value}\0`);

/** What it answers to a question: a challenge first, as games do since 2020. */
export function answerAsSource({ players, bots = 0, max, names }: SourcePlayers) {
  const challenge = Buffer.of(1, 2, 3, 4);
  const info = Buffer.concat([
    ...[single, Buffer.of(0x49, 17), text('A server'), text('a map'), text('folder'), text('A game')],
    ...[Buffer.of(0, 0, players, max, bots), Buffer.from('dl\0\x01'), text('1.0')],
  ]);
  const entries = names?.map((name, index) => Buffer.concat([Buffer.of(index), text(name), Buffer.alloc(8)]));
  const list = entries && [Buffer.concat([single, Buffer.of(0x44, entries.length), ...entries])];
  return (question: Buffer): readonly Buffer[] => {
    if (!question.subarray(-4).equals(challenge))
      return [Buffer.concat([single, Buffer.of(0x41), challenge])];
    return question[4] === 0x54 ? [info] : (list ?? []);
  };
}

/** It answers while its server runs. */
export function startGame(players: SourcePlayers & { isMinecraft?: true }, isRunning: () => boolean) {
  const { isMinecraft, players: online, max, names } = players;
  const sample = names?.map((name) => ({ name, id: '' }));
  const status = minecraftStatus({ players: { online, max, sample } });
  if (isMinecraft) return startTcpGame((socket) => socket.end(isRunning() ? status : ''));
  const answer = answerAsSource(players);
  return startUdpGame((question) => (isRunning() ? answer(question) : []));
}
