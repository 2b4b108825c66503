/** The text of a file, of which no more is held than is shown, whatever its size. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../../routers/errors.ts';
import { PanelFailure } from './failures.ts';
import type { BodySink } from './http-stream.ts';

/** What a caller is shown of a file. */
const shownBytesMax = 256 * 1024;
/** What is read of one. */
const readBytesMax = 64 * 1024 * 1024;

interface Wanted {
  /** The last lines, in place of the beginning. */
  tail?: number | undefined;
  /** Whether to read on to the end, for the hash. */
  isWhole?: boolean;
  /** The type that the panel gives every file: anything else is not from it. */
  contentType?: string;
}

export class FileContent implements BodySink {
  readonly #wanted: Wanted;
  readonly #hash = createHash('sha256');
  #chunks: Buffer[] = [];
  #keptBytes = 0;
  #hasNul = false;
  /** What came; the size of the file where it was read whole. */
  bytes = 0;
  /** As announced; null where it was not. */
  announcedBytes: number | null = null;
  isReadWhole = true;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  begin({ 'content-length': length, 'content-type': type = '' }: IncomingHttpHeaders): void {
    const { contentType = '' } = this.#wanted;
    if (!type.startsWith(contentType))
      throw new PanelFailure('malformed', { reason: 'not the type of a file' });
    this.announcedBytes = length === undefined ? null : Number(length);
    if (this.#reads && Number(length) > readBytesMax) throw tooLarge();
  }

  /** Whether all of it is read. */
  get #reads() {
    return this.#wanted.tail !== undefined || this.#wanted.isWhole === true;
  }

  write(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    if (this.bytes > readBytesMax) throw tooLarge();
    this.#hash.update(chunk);
    this.#hasNul ||= chunk.includes(0);
    if (this.#wanted.tail !== undefined) this.#keepLast(chunk);
    else if (this.bytes - chunk.length <= shownBytesMax) this.#keep(chunk);
    this.isReadWhole = this.#reads || this.bytes <= shownBytesMax;
    return this.isReadWhole;
  }

  #keep(chunk: Buffer) {
    this.#chunks.push(chunk);
    this.#keptBytes += chunk.length;
  }

  #keepLast(chunk: Buffer) {
    this.#keep(chunk);
    for (const oldest of this.#chunks) {
      if (this.#keptBytes - oldest.length < shownBytesMax) return;
      this.#chunks = this.#chunks.slice(1);
      this.#keptBytes -= oldest.length;
    }
  }

  /** Ends the hash: once. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  /** @throws bad_request where it is not text */
  text(): { content: string; isTruncated: boolean } {
    if (this.#hasNul) throw notText();
    const kept = Buffer.concat(this.#chunks);
    const { tail } = this.#wanted;
    const shown = tail === undefined ? kept.subarray(0, shownBytesMax) : lastLines(kept, tail, this.bytes);
    const isTruncated = shown.length < this.bytes;
    return { content: decode(shown, isTruncated && tail === undefined), isTruncated };
  }
}

/** The last lines of what was kept of a file, within the bound; from the start of a line, where there is one. */
function lastLines(kept: Buffer, count: number, fileBytes: number): Buffer {
  const window = kept.subarray(Math.max(0, kept.length - shownBytesMax));
  // A line break at the very end ends the last line, and begins none.
  let end = window.at(-1) === newline ? window.length - 1 : window.length;
  for (let line = 0; line < count && end >= 0; line += 1)
    end = end === 0 ? -1 : window.lastIndexOf(newline, end - 1);
  const start = end + 1;
  if (start > 0) return window.subarray(start);
  return window.length === fileBytes ? window : window.subarray(firstStart(window));
}

const newline = 0x0a;

/** Where the first line, or else the first character, begins that was not cut. */
function firstStart(window: Buffer): number {
  const line = window.indexOf(newline) + 1;
  if (line > 0 && line < window.length) return line;
  const character = window.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  return Math.max(0, character);
}

/** @param isCut whether its last character may lack bytes */
function decode(bytes: Buffer, isCut: boolean): string {
  try {
    // With `stream` a character that is not complete is left out.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch (cause) {
    throw notText(cause);
  }
}

const notText = (cause?: unknown) =>
  badRequest('file is not text: it holds NUL, or is not valid UTF-8', cause);

const tooLarge = () =>
  badRequest('file is larger than 64 MiB, which is the most that is read; get a download link for it');
