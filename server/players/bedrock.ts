/** The ping of Minecraft's Bedrock edition, over UDP (https://minecraft.wiki/w/RakNet, unconnected ping). */
import { type Answer, count, type Target } from './protocol.ts';
import { exchange } from './udp.ts';

const magic = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
const pingKind = 0x01;
const pongKind = 0x1c;
/** Kind, time and id of the server, before the magic and the length of the text. */
const magicStart = 17;
const textStart = magicStart + magic.length + 2;

const ping = Buffer.concat([Buffer.of(pingKind), Buffer.alloc(8), magic, Buffer.alloc(8)]);

export const askBedrock = (target: Target, signal: AbortSignal): Promise<Answer> =>
  exchange(target, signal, { question: ping, read: readPong });

/** The text has its fields between semicolons: edition, name, protocol, version, players, and how many there may be. */
function readPong(message: Buffer): { answer: Answer } | null {
  if (message[0] !== pongKind || !message.subarray(magicStart).subarray(0, magic.length).equals(magic))
    return null;
  const fields = message.toString('utf8', textStart).split(/(?<!\\);/, 7);
  const online = count.parse(toNumber(fields[4]));
  return { answer: { online, max: count.safeParse(toNumber(fields[5])).data ?? null, names: null } };
}

const toNumber = (digits = '') => (/^\d+$/.test(digits) ? Number(digits) : null);
