/** Sends a request over UDP. Its socket receives only from the requested address, and only a bounded number of bytes. */
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Target } from './protocol.ts';

const messagesMax = 64;
const bytesMax = 128 * 1024;

/** A datagram may get lost. */
const resendMs = 600;

interface Exchange<Answer> {
  question: Buffer;
  /**
   * Reads a message. Returns the answer, another question to send instead of the last one, or null while there is neither.
   * If it throws, the bytes are not of the protocol, and are ignored.
   */
  read(message: Buffer): { answer: Answer } | { question: Buffer } | null;
}

export async function exchange<Answer>(
  { ip, port }: Target,
  signal: AbortSignal,
  { question, read }: Exchange<Answer>,
): Promise<Answer> {
  signal.throwIfAborted();
  const socket = createSocket(isIPv6(ip) ? 'udp6' : 'udp4');
  let asked = question;
  const ask = () => socket.send(asked);
  let resending: NodeJS.Timeout | undefined;
  let messages = 0;
  let bytes = 0;
  const answered = new Promise<Answer>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    socket.on('error', reject);
    socket.on('message', (message) => {
      messages += 1;
      bytes += message.length;
      if (messages > messagesMax || bytes > bytesMax) return reject(new Error('the game sends too much'));
      const reading = ignoreInvalid(() => read(message));
      if (!reading) return;
      if ('answer' in reading) return resolve(reading.answer);
      asked = reading.question;
      ask();
    });
    // A socket throws if it is used before it is connected, or after it was closed.
    socket.on('connect', () => {
      if (signal.aborted) return;
      resending = setInterval(ask, resendMs);
      ask();
    });
    socket.connect(port, ip);
  });
  return answered.finally(() => {
    clearInterval(resending);
    socket.close();
  });
}

function ignoreInvalid<Reading>(read: () => Reading): Reading | null {
  try {
    return read();
  } catch {
    return null;
  }
}
