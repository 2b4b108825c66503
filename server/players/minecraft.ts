/**
 * Minecraft's status, as its own client asks for it in the list of servers: over TCP, a handshake and a request, then one JSON
 * text (https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping).
 */
import { connect } from 'node:net';
import { z } from 'zod';
import { type Answer, cleanNames, count, type Target } from './protocol.ts';

/** The protocol's bound of a text, in UTF-16 code units. */
const textLengthMax = 32_767;
/** Nearly all of a status is ASCII. */
const packetBytesMax = 2 * textLengthMax;
/** Of what a status is made of: small values take much more memory than their bytes. */
const valuesMax = 2_500;
const startsOfValues = new Set(Buffer.from('[{,:'));
/** Bounds the CPU that a game takes by sending its answer byte by byte. */
const readsMax = 400;
const readBytes = 4 * 1024;

/** Any version answers a status. */
const protocolVersion = 47;
const statusIntent = 1;
const statusRequest = Buffer.of(1, 0);

const Status = z.object({
  players: z.object({
    online: count,
    max: count.nullable().catch(null),
    sample: z.array(z.unknown()).nullable().catch(null),
  }),
});

export async function askMinecraft(target: Target, signal: AbortSignal): Promise<Answer> {
  const { online, max, sample } = Status.parse(parseStatus(await readStatus(target, signal))).players;
  return { online, max, names: sample && cleanNames(sample.map(nameOf)) };
}

/** What is no text is left out later. */
const nameOf = (player: unknown) => (player as { name?: unknown } | null)?.name;

function parseStatus(bytes: Buffer): unknown {
  const values = bytes.reduce((sum, byte) => sum + Number(startsOfValues.has(byte)), 0);
  const text = values > valuesMax ? '' : bytes.toString();
  if (text.length > textLengthMax) throw new Error('a status that no client shows');
  return JSON.parse(text);
}

async function readStatus({ ip, port }: Target, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const packet = Buffer.allocUnsafe(packetBytesMax);
  let reads = 0;
  let length = 0;
  let close = () => {};
  const answered = new Promise<Buffer>((resolve, reject) => {
    const fail = () => reject(new Error('no status of Minecraft'));
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

/** Null while bytes are missing. A packet is its length, its kind (0), the text's length and the text. */
function textIn(packet: Buffer): Buffer | null {
  const length = readVarInt(packet, 0);
  if (!length || packet.length < length.end + length.value) return null;
  const text = readVarInt(packet, length.end + 1);
  return text && packet.subarray(text.end, text.end + text.value);
}

/** Seven bits in each byte, the lowest first; null while bytes are missing, and for more than any status needs. */
function readVarInt(bytes: Buffer, start: number): { value: number; end: number } | null {
  const lastOfThree = bytes.subarray(start, start + 3).findIndex((byte) => byte < 0x80);
  if (lastOfThree === -1) return null;
  const end = start + lastOfThree + 1;
  const value = bytes.subarray(start, end).reduceRight((sum, byte) => sum * 0x80 + (byte & 0x7f), 0);
  return { value, end };
}
