/** The ping of Minecraft's Bedrock edition, over UDP (https://minecraft.wiki/w/RakNet, unconnected ping). */
import { type Answer, playerCount, type Target } from './protocol.ts';
import { exchange } from './udp.ts';

const magic = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
const pingKind = 0x01;
const pongKind = 0x1c;
/** A pong has its kind, the time and the server's id before the magic, and the length of the text after it. */
const magicStart = 17;
const textStart = magicStart + magic.length + 2;

const ping = Buffer.concat([Buffer.of(pingKind), Buffer.alloc(8), magic, Buffer.alloc(8)]);

export const askBedrock = (target: Target, signal: AbortSignal): Promise<Answer> =>
  exchange(target, signal, { question: ping, read: readPong });

const textBytesMax = 1_000;

/**
 * The fields are edition, name, protocol, version, players and maximum, separated by semicolons. A name may contain semicolons
 * and numbers: the dot of the version shows where it ends.
 */
const figures = /;\d+;[^;.]*\.[^;]*;(\d+);(\d+)(?:;|$)/;
/** For versions without a dot. */
const fifthAndSixth = /^(?:[^;]*;){4}(\d+);(\d+)(?:;|$)/;

function readPong(message: Buffer): { answer: Answer } | null {
  if (message[0] !== pongKind || !message.subarray(magicStart).subarray(0, magic.length).equals(magic))
    return null;
  const text = message.toString('utf8', textStart, textStart + textBytesMax);
  const [, players, max] = figures.exec(text) ?? fifthAndSixth.exec(text) ?? [];
  const answer = {
    online: playerCount.parse(Number(players)),
    max: playerCount.safeParse(Number(max)).data ?? null,
  };
  return { answer: { ...answer, names: null } };
}
