/** Minecraft's status, over TCP (https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping). */
import { connect } from 'node:net';
import { z } from 'zod';
import { type Answer, cleanNames, playerCount, type Target } from './protocol.ts';

/** The protocol allows a text of 32,767 UTF-16 code units, and nearly all of a status is ASCII. */
const packetBytesMax = 65_534;
/** A larger object `players` is not parsed: small values take far more memory than their bytes. */
const playersBytesMax = 32 * 1024;
const valuesMax = 2_500;
const startsOfValues = new Set(Buffer.from('[{,:'));
/** Bounds the CPU time that a game can cost by sending its answer byte by byte. */
const readsMax = 400;
const readBytes = 4 * 1024;

/** Servers answer a status request of any version. */
const protocolVersion = 47;
const statusIntent = 1;
const statusRequest = Buffer.of(1, 0);

const Players = z.object({
  online: playerCount,
  max: playerCount.nullable().catch(null),
  sample: z.array(z.unknown()).nullable().catch(null),
});

export async function askMinecraft(target: Target, signal: AbortSignal): Promise<Answer> {
  const { online, max, sample } = Players.parse(parsePlayers(await readStatus(target, signal)));
  return { online, max, names: sample && cleanNames(sample.map(nameOf)) };
}

function nameOf(player: unknown): unknown {
  const name = (player as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name.replace(/\u00a7.?/gsu, '') : null;
}

function parsePlayers(status: Buffer): unknown {
  const players = playersIn(status);
  const values = players?.reduce((sum, byte) => sum + Number(startsOfValues.has(byte)), 0) ?? 0;
  if (!players || players.length > playersBytesMax || values > valuesMax)
    throw new Error('the status has no players that a client would show');
  return JSON.parse(players.toString());
}

const [quote, backslash, colon, brace, bracket, endOfBrace, endOfBracket] = Buffer.from('"\\:{[}]');
const blanks: ReadonlySet<number | undefined> = new Set(Buffer.from(' \t\r\n'));
const playersKey = Buffer.from('"players"');

/** Finds the object `players`. The rest of a status, such as hundreds of mods, is never parsed. */
function playersIn(status: Buffer): Buffer | null {
  let depth = 0;
  let start: number | null = null;
  for (let at = 0; at < status.length; at += 1) {
    const byte = status[at];
    if (byte === quote) {
      const end = endOfText(status, at);
      if (depth === 1 && start === null && isPlayersKey(status, at, end)) start = objectAfter(status, end);
      at = end - 1;
    } else if (byte === brace || byte === bracket) depth += 1;
    else if (byte === endOfBrace || byte === endOfBracket) {
      depth -= 1;
      if (depth === 1 && start !== null) return status.subarray(start, at + 1);
    }
  }
  return null;
}

function endOfText(status: Buffer, start: number): number {
  let at = start + 1;
  while (at < status.length && status[at] !== quote) at += status[at] === backslash ? 2 : 1;
  return at + 1;
}

const isPlayersKey = (status: Buffer, start: number, end: number) =>
  end - start === playersKey.length && status.compare(playersKey, 0, playersKey.length, start, end) === 0;

/** The start of the object that follows a key. Null: the text that ends here is not a key, or its value is not an object. */
function objectAfter(status: Buffer, end: number): number | null {
  const colonAt = skipBlanks(status, end);
  const valueAt = skipBlanks(status, colonAt + 1);
  return status[colonAt] === colon && status[valueAt] === brace ? valueAt : null;
}

function skipBlanks(status: Buffer, start: number): number {
  let at = start;
  while (blanks.has(status[at])) at += 1;
  return at;
}

async function readStatus({ ip, port }: Target, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const packet = Buffer.allocUnsafe(packetBytesMax);
  let reads = 0;
  let length = 0;
  let close = () => {};
  const answered = new Promise<Buffer>((resolve, reject) => {
    const fail = () => reject(new Error('received no Minecraft status'));
    const callback = (bytes: number, chunk: Uint8Array) => {
      reads += 1;
      length += Buffer.from(chunk.buffer, 0, bytes).copy(packet, length);
      const text = textIn(packet.subarray(0, length));
      if (text) resolve(text);
      else if (reads === readsMax || length === packetBytesMax) fail();
      return true;
    };
    const socket = connect({
      host: ip,
      port,
      onread: { buffer: Buffer.allocUnsafeSlow(readBytes), callback },
    });
    close = () => socket.destroy();
    socket.on('error', reject).on('close', fail);
    socket.on('connect', () => socket.write(Buffer.concat([handshake(ip, port), statusRequest])));
    signal.addEventListener('abort', fail, { once: true });
  });
  return answered.finally(() => close());
}

function handshake(ip: string, port: number): Buffer {
  const host = Buffer.from(ip);
  const portBytes = Buffer.of(port >> 8, port & 0xff);
  const fields = [Buffer.of(0, protocolVersion, host.length), host, portBytes, Buffer.of(statusIntent)];
  const length = fields.reduce((sum, field) => sum + field.length, 0);
  return Buffer.concat([Buffer.of(length), ...fields]);
}

/** Null while bytes are missing. A packet consists of its length, its kind (0), the text's length and the text. */
function textIn(packet: Buffer): Buffer | null {
  const length = readVarInt(packet, 0);
  if (!length || packet.length < length.end + length.value) return null;
  const text = readVarInt(packet, length.end + 1);
  return text && packet.subarray(text.end, text.end + text.value);
}

/** Seven bits in each byte, the lowest first; null while bytes are missing, and for a number larger than any status needs. */
function readVarInt(bytes: Buffer, start: number): { value: number; end: number } | null {
  const lastOfThree = bytes.subarray(start, start + 3).findIndex((byte) => byte < 0x80);
  if (lastOfThree === -1) return null;
  const end = start + lastOfThree + 1;
  const value = bytes.subarray(start, end).reduceRight((sum, byte) => sum * 0x80 + (byte & 0x7f), 0);
  return { value, end };
}
