/** The queries of games on Source and of many others, over UDP (https://developer.valvesoftware.com/wiki/Server_queries). */
import { withTimeout } from '../limit/with-timeout.ts';
import { type Ask, cleanNames, type Target } from './protocol.ts';
import { exchange } from './udp.ts';

const single = -1;
const split = -2;
const kinds = { info: 0x49, players: 0x44, challenge: 0x41 };

const infoQuestion = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const playersQuestion = Buffer.from('\xff\xff\xff\xffU', 'latin1');
const noChallenge = Buffer.alloc(4, 0xff);

/** The names are one more question, which not every game answers. */
const namesMsMax = 1_000;

export const askSource: Ask = (target, signal) => askAt(target, signal, () => true);

/** Some games answer at the port after that of their players; another server's game there tells a port of its own. */
export const askSourceAtNextPort: Ask = ({ port, ...target }, signal) =>
  askAt({ ...target, port: port + 1 }, signal, (gamePort) => gamePort === null || gamePort === port);

async function askAt(target: Target, signal: AbortSignal, isMeant: (gamePort: number | null) => boolean) {
  const info = await ask(target, signal, { question: infoQuestion, kind: 'info', read: readInfo });
  const { online, max, gamePort } = info;
  if (!isMeant(gamePort)) throw new Error('the game of another server');
  const question = Buffer.concat([playersQuestion, noChallenge]);
  const asking = ask(target, signal, { question, kind: 'players', read: readNames });
  return { online, max, names: await withTimeout(namesMsMax, asking).catch(() => null) };
}

interface Question<Value> {
  question: Buffer;
  kind: 'info' | 'players';
  /** @param body what follows the kind */
  read(body: Buffer): Value;
}

/** A game may first send a challenge, which the repeated request has to contain: it proves that the client's address is real. */
function ask<Value>(
  target: Target,
  signal: AbortSignal,
  { question, kind, read }: Question<Value>,
): Promise<Value> {
  const join = createJoiner();
  const challenged = kind === 'info' ? infoQuestion : playersQuestion;
  return exchange<Value>(target, signal, {
    question,
    read(datagram) {
      const message = join(datagram);
      const body = message?.subarray(1);
      if (message?.[0] === kinds.challenge)
        return { question: Buffer.concat([challenged, body?.subarray(0, 4) ?? noChallenge]) };
      return body && message?.[0] === kinds[kind] ? { answer: read(body) } : null;
    },
  });
}

const partsMax = 32;

/** Joins what came in parts: of one message at a time, and none that is compressed. Without the header. */
function createJoiner() {
  let id = 0;
  let parts: Buffer[] = [];
  return (datagram: Buffer): Buffer | null => {
    const header = datagram.readInt32LE(0);
    if (header === single) return datagram.subarray(4);
    const [partId, total, number] = [datagram.readInt32LE(4), datagram.readUInt8(8), datagram.readUInt8(9)];
    const isCompressed = partId < 0;
    if (header !== split || isCompressed || total > partsMax || number >= total) return null;
    if (partId !== id) parts = [];
    id = partId;
    parts[number] = datagram.subarray(12);
    const isWhole = Object.keys(parts).length === total;
    return isWhole ? Buffer.concat(parts).subarray(4) : null;
  };
}

/**
 * Version, four texts, a number of two bytes, then players with the bots, how many there may be, bots, four bytes, and another
 * text; after it, flags of what follows, of which the first is the port of players.
 */
function readInfo(body: Buffer) {
  let at = 1;
  for (let text = 0; text < 4; text += 1) at = endOfText(body, at) + 1;
  const [players, max, bots] = [body.readUInt8(at + 2), body.readUInt8(at + 3), body.readUInt8(at + 4)];
  const flagsAt = body.indexOf(0, at + 9) + 1;
  const hasPort = flagsAt > 0 && ((body[flagsAt] ?? 0) & 0x80) !== 0;
  const gamePort = hasPort ? body.readUInt16LE(flagsAt + 1) : null;
  return { online: Math.max(0, players - bots), max, gamePort };
}

/** A number, then for each an index, its name, a score and its seconds. */
function readNames(body: Buffer): string[] {
  const names: string[] = [];
  let at = 1;
  while (names.length < body.readUInt8(0) && at < body.length) {
    const end = endOfText(body, at + 1);
    names.push(body.toString('utf8', at + 1, end));
    at = end + 9;
  }
  return cleanNames(names);
}

function endOfText(body: Buffer, start: number): number {
  const end = body.indexOf(0, start);
  if (end === -1) throw new Error('a text without an end');
  return end;
}
