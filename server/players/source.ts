/** The queries of Source games and many others, over UDP (https://developer.valvesoftware.com/wiki/Server_queries). */
import { withTimeout } from '../limit/with-timeout.ts';
import { type Answer, type Ask, cleanNames, type Target } from './protocol.ts';
import { exchange } from './udp.ts';

const single = -1;
const split = -2;
const kinds = { info: 0x49, players: 0x44, challenge: 0x41 };

const infoQuestion = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const playersQuestion = Buffer.from('\xff\xff\xff\xffU', 'latin1');
const noChallenge = Buffer.alloc(4, 0xff);

/** Getting the names takes another query, which not every game answers. */
const namesMsMax = 1_000;

interface Info extends Pick<Answer, 'online' | 'max'> {
  bots: number;
  /** The port that players connect to; null if the game does not send it. */
  gamePort: number | null;
}

export const askSource: Ask = (target, signal) => askAt(target, signal, async () => true);

/**
 * Some games answer one port above the one that players connect to. Another server's game may be there instead.
 * @param isOwnNextPort consulted if the game does not send its own port
 */
export const askSourceAtNextPort =
  (isOwnNextPort: (target: Target) => Promise<boolean>): Ask =>
  (target, signal) =>
    askAt({ ...target, port: target.port + 1 }, signal, async ({ gamePort }) =>
      gamePort === null ? isOwnNextPort(target) : gamePort === target.port,
    );

async function askAt(target: Target, signal: AbortSignal, isOfTarget: (info: Info) => Promise<boolean>) {
  const info = await ask(target, signal, { question: infoQuestion, kind: 'info', read: readInfo });
  if (!(await isOfTarget(info))) throw new Error('the game belongs to another server');
  return { online: info.online, max: info.max, names: askNames(target, signal, info) };
}

async function askNames(target: Target, signal: AbortSignal, { online, bots }: Info) {
  if (online === 0) return null;
  const question = Buffer.concat([playersQuestion, noChallenge]);
  const asking = ask(target, signal, { question, kind: 'players', read: readNames });
  const names = await withTimeout(namesMsMax, asking).catch(() => []);
  // The names of bots look like those of players, so a list that may contain bots is dropped.
  const hasBots = bots > 0 && names.length > online;
  const isPlaceholder = names.length === 1 && names[0] === placeholder;
  return hasBots || isPlaceholder ? null : cleanNames(names);
}

/** The only name that Counter-Strike sends if its host hides players. */
const placeholder = 'Max Players';

interface Question<Value> {
  question: Buffer;
  kind: 'info' | 'players';
  read(body: Buffer): Value;
}

/** A game may first send a challenge, which the repeated request must contain: it proves that the client's address is real. */
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

/** Joins messages that arrive in parts, and removes their header. It handles one message at a time, and no compressed ones. */
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
 * The fields are the version, four texts, two bytes, players, maximum, bots, four bytes, another text, and flags. The flags say
 * which of these follow: the game's port, an id of eight bytes, the port and the name of SourceTV, tags.
 */
function readInfo(body: Buffer): Info {
  let at = 1;
  for (let text = 0; text < 4; text += 1) at = endOfText(body, at) + 1;
  const [players, max, bots] = [body.readUInt8(at + 2), body.readUInt8(at + 3), body.readUInt8(at + 4)];
  const flagsAt = body.indexOf(0, at + 9) + 1;
  const flags = flagsAt > 0 ? (body[flagsAt] ?? 0) : 0;
  const gamePort = flags & 0x80 ? body.readUInt16LE(flagsAt + 1) : null;
  const wide = flags & 0x20 ? readTags(body, flags, flagsAt + 1) : null;
  const counted = wide?.players ?? players;
  return {
    // A game with more bots than players does not count bots as players.
    online: bots > counted ? counted : counted - bots,
    max: wide?.max ?? max,
    bots,
    gamePort,
  };
}

const tagBytesMax = 1_000;

/** Rust also sends its figures in tags, because a byte holds at most 255. */
function readTags(body: Buffer, flags: number, start: number) {
  const television = start + (flags & 0x80 ? 2 : 0) + (flags & 0x10 ? 8 : 0);
  const at = flags & 0x40 ? body.indexOf(0, television + 2) + 1 : television;
  const tags = body
    .toString('latin1', at, at + tagBytesMax)
    .split('\0', 1)
    .join();
  const [, players] = /(?:^|,)cp(\d{1,5})(?:,|$)/.exec(tags) ?? [];
  const [, max] = /(?:^|,)mp(\d{1,5})(?:,|$)/.exec(tags) ?? [];
  return players && max ? { players: Number(players), max: Number(max) } : null;
}

/** The body has a count, then for each player an index, a name, a score and the seconds since joining. */
function readNames(body: Buffer): string[] {
  const names: string[] = [];
  let at = 1;
  while (names.length < body.readUInt8(0) && at < body.length) {
    const end = endOfText(body, at + 1);
    names.push(body.toString('utf8', at + 1, end));
    at = end + 9;
  }
  return names;
}

function endOfText(body: Buffer, start: number): number {
  const end = body.indexOf(0, start);
  if (end === -1) throw new Error('a text has no end');
  return end;
}
