/** Games with configurable answers that count their queries. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { retry } from '../../models/support/retry.ts';
import { minecraftStatus } from '../../server/panel/demo/status-server.ts';

export interface Game {
  port: number;
  asked: number;
  stop(): Promise<void>;
}

/** @param answer handles a connection once its first bytes have arrived */
export async function startTcpGame(
  answer: (socket: Socket) => void,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Game> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      game.asked += 1;
      answer(socket);
    });
  }).listen(port, host);
  await once(server, 'listening');
  const game = {
    port: (server.address() as AddressInfo).port, // a listening TCP server has one
    asked: 0,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return game;
}

/** @param answer the datagrams that it sends back */
export async function startUdpGame(answer: (question: Buffer) => readonly Buffer[]): Promise<Game> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    game.asked += 1;
    for (const datagram of answer(question)) socket.send(datagram, port, address);
  });
  socket.on('error', () => {}); // an answer could not be sent
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const game = {
    port: socket.address().port,
    asked: 0,
    async stop() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
  return game;
}

/** @param others fields of its status, such as those of Forge */
export const startMinecraft = (players: object, others: object = {}) =>
  startTcpGame((socket) => {
    const version = { name: '1.21.4', protocol: 769 };
    socket.end(minecraftStatus({ version, ...others, players, description: 'A server' }));
  });

interface SourcePlayers {
  /** Includes bots. */
  players: number;
  bots?: number;
  max: number;
  /** Null: it does not answer with their names. */
  names: readonly string[] | null;
}

const single = Buffer.alloc(4, 0xff);
const text = (value: string) => Buffer.from(`${value}\0`);

/** Its answers to a query: a challenge first, as games have sent since 2020. */
function answerPlainly({ players, bots = 0, max, names }: SourcePlayers) {
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

interface Parts {
  bytes: number;
  isCompressed?: boolean;
}

/** Optional fields of a Source game: the port for players, and its tags. */
interface Extra {
  port?: number;
  tags?: string;
}

interface SourceOptions {
  /** How it sends the names, if not in one message. */
  parts?: Parts;
  extra?: Extra;
}

export function answerAsSource(players: SourcePlayers, { parts, extra }: SourceOptions = {}) {
  const answer = answerPlainly(players);
  return (question: Buffer) =>
    answer(question).flatMap((message) => {
      if (extra && message[4] === 0x49) return [Buffer.concat([message, extraOf(extra)])];
      return parts && message[4] === 0x44 ? inParts(message, parts) : [message];
    });
}

export const startSource = (players: SourcePlayers, options?: SourceOptions) =>
  startUdpGame(answerAsSource(players, options));

/** As games send them, with the server's id and its television port in between. */
function extraOf({ port, tags }: Extra): Buffer {
  const flags = (port === undefined ? 0 : 0x80) | 0x10 | 0x40 | (tags === undefined ? 0 : 0x20);
  const portBytes = port === undefined ? [] : [port & 0xff, port >> 8];
  const television = [Buffer.of(0x9c, 0x69), Buffer.from('TV\0')];
  const tagBytes = tags === undefined ? [] : [Buffer.from(`${tags}\0`)];
  return Buffer.concat([Buffer.of(flags, ...portBytes), Buffer.alloc(8, 1), ...television, ...tagBytes]);
}

/** A game with queries over UDP and a remote console over TCP at the same port. */
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

/** Answers from another port than the queried one. */
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
