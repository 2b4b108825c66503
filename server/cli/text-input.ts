/** Reads files and standard input as editors and shells of any system write them: UTF-8, or UTF-16 with a byte order mark. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError, printable } from './print.ts';

type Bytes = AsyncIterable<Buffer | string>;

/**
 * Drops the byte order mark.
 * @param name of the input, for messages
 * @throws {CommandError} for another encoding
 */
export async function* decodeText(input: Bytes, name = 'standard input'): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let held = Buffer.alloc(0);
  try {
    for await (const chunk of input) {
      held = Buffer.concat([held, Buffer.from(chunk)]);
      if (!decoder && held.length < markBytes) continue;
      decoder ??= new TextDecoder(encodingOf(held), { fatal: true });
      yield withoutNul(decoder.decode(held, { stream: true }), name);
      held = Buffer.alloc(0);
    }
    decoder ??= new TextDecoder('utf-8', { fatal: true });
    yield withoutNul(decoder.decode(held), name);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CommandError(`${name} is not UTF-8; save it as UTF-8`, { cause });
  }
}

const markBytes = 2;

function encodingOf(start: Buffer): string {
  const mark = start.subarray(0, markBytes).toString('hex');
  return { fffe: 'utf-16le', feff: 'utf-16be' }[mark] ?? 'utf-8';
}

/** In UTF-16, every other byte of Latin text is NUL, which the UTF-8 decoder accepts. */
function withoutNul(text: string, name: string): string {
  if (text.includes('\0'))
    throw new CommandError(`${name} is UTF-16 without a byte order mark, or not text; save it as UTF-8`);
  return text;
}

/** Resolves to the entire text, with Windows line breaks as `\n`. */
export async function readText(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text.replaceAll('\r\n', '\n');
}

/** Resolves to the first line, without waiting for the end of the input. */
export async function readLine(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.includes('\n')) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

export async function* decodeFile(path: string): AsyncGenerator<string> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new CommandError(`there is no file ${printable(path)}`);
  if (found.isDirectory()) throw new CommandError(`${printable(path)} is a directory, not a file`);
  yield* decodeText(createReadStream(path), path);
}
