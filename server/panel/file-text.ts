/** The part of a file that is read, and its text. Only the shown part is kept, and it alone decides whether the file is text. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../../routers/errors.ts';
import { fileTextBytesMax, type ShownEncoding } from '../../routers/files/text.ts';
import type { PanelFileContent } from '../../routers/panel-port.ts';
import type { BodySink } from './node-download.ts';

interface Wanted {
  bytes: number;
  tail?: number | undefined;
  isWhole?: boolean;
}

/** For files that are read to their end: to show the last lines, because nodes do not support ranges, or to compare hashes. */
const endBound = {
  bytes: 64 * 1024 * 1024,
  message: 'file is larger than 64 MiB, the maximum for tail; get a download link instead',
};
const comparisonBound = {
  bytes: 16 * 1024 * 1024,
  message: 'file is larger than 16 MiB, the maximum that can be compared: write it without if_sha256',
};

export class FileContent implements BodySink {
  readonly #wanted: Wanted;
  /** Null: reading stops after the part that is shown. */
  readonly #bound: typeof endBound | null;
  readonly #hash = createHash('sha256');
  #chunks: Buffer[] = [];
  #keptBytes = 0;
  #first: readonly number[] = [];
  #isStopped = false;
  #announcedBytes: number | null = null;
  bytes = 0;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#bound = wanted.isWhole ? comparisonBound : wanted.tail === undefined ? null : endBound;
    this.#requireWithin(wanted.bytes);
  }

  #requireWithin(bytes: number) {
    if (this.#bound && bytes > this.#bound.bytes) throw badRequest(this.#bound.message);
  }

  begin({ 'content-length': length }: IncomingHttpHeaders): void {
    if (length === undefined) return;
    this.#announcedBytes = Number(length);
    this.#requireWithin(this.#announcedBytes);
  }

  write(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    this.#requireWithin(this.bytes);
    this.#hash.update(chunk);
    if (this.#first.length < 4) this.#first = [...this.#first, ...chunk.subarray(0, 4)].slice(0, 4);
    if (this.#wanted.tail !== undefined) this.#keepLast(chunk);
    else if (this.bytes - chunk.length <= fileTextBytesMax) this.#keep(chunk);
    this.#isStopped = !this.#bound && this.bytes > fileTextBytesMax;
    return !this.#isStopped;
  }

  #keep(chunk: Buffer) {
    this.#chunks.push(chunk);
    this.#keptBytes += chunk.length;
  }

  #keepLast(chunk: Buffer) {
    this.#keep(chunk);
    for (const oldest of this.#chunks) {
      if (this.#keptBytes - oldest.length < fileTextBytesMax) return;
      this.#chunks = this.#chunks.slice(1);
      this.#keptBytes -= oldest.length;
    }
  }

  /** The file may have grown since it was listed. */
  get fileBytes(): number {
    return this.#isStopped ? (this.#announcedBytes ?? Math.max(this.#wanted.bytes, this.bytes)) : this.bytes;
  }

  /** Call it once, because it finalizes the hash. Null if the file was not read completely. */
  sha256(): string | null {
    return this.bytes === this.fileBytes ? this.#hash.digest('hex') : null;
  }

  text(): ShownText {
    const kept = Buffer.concat(this.#chunks);
    const { tail } = this.#wanted;
    const bytes = tail === undefined ? kept.subarray(0, fileTextBytesMax) : kept.subarray(-fileTextBytesMax);
    const offset = tail === undefined ? 0 : this.bytes - bytes.length;
    return showText({ bytes, offset, fileBytes: this.fileBytes, marked: markOf(this.#first) }, tail);
  }
}

type Marked = 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

interface FilePart {
  bytes: Buffer;
  offset: number;
  fileBytes: number;
  /** The encoding that a byte order mark shows; null if there is none, or for UTF-8. */
  marked: Marked | null;
}

type ShownText = Pick<PanelFileContent, 'content' | 'encoding' | 'isTruncated'>;

function markOf([one, two, three, four]: Iterable<number>): Marked | null {
  if (one === 0xff && two === 0xfe) return three === 0 && four === 0 ? 'utf-32le' : 'utf-16le';
  if (one === 0xfe && two === 0xff) return 'utf-16be';
  return one === 0 && two === 0 && three === 0xfe && four === 0xff ? 'utf-32be' : null;
}

/** Nodes detect the MIME type from the first bytes of a file. */
export function markOfType(mimeType: string): Marked | null {
  const [, charset] = /charset=(utf-(?:16|32)[bl]e)\b/i.exec(mimeType) ?? [];
  return charset ? (charset.toLowerCase() as Marked) : null; // the pattern matches only these
}

function showText(part: FilePart, tail?: number): ShownText {
  const { bytes, encoding } = toUtf8(part);
  const isWhole = part.bytes.length >= part.fileBytes;
  const shown = tail === undefined ? bytes.subarray(0, fileTextBytesMax) : lastLines(bytes, tail, isWhole);
  if (shown.includes(0)) throw badRequest('file is not text: it contains a NUL byte');
  const isTruncated = !isWhole || shown.length < bytes.length;
  const isCut = isTruncated && tail === undefined;
  const content = decode(shown, { fatal: true, isCut });
  if (content !== null) return { content, encoding, isTruncated };
  // Replacement characters may take more bytes than what they replace.
  const text = Buffer.from(decode(shown, { isCut }) ?? '');
  const isLonger = text.length > fileTextBytesMax;
  const rest = tail === undefined ? text.subarray(0, fileTextBytesMax) : lastLines(text, tail, !isLonger);
  return {
    content: decode(rest, { isCut: isLonger }) ?? '',
    encoding: 'lossy',
    isTruncated: isTruncated || isLonger,
  };
}

function toUtf8({ bytes, offset, fileBytes, marked }: FilePart): { bytes: Buffer; encoding: ShownEncoding } {
  if (marked === null) return { bytes, encoding: 'utf-8' };
  if (marked === 'utf-32le' || marked === 'utf-32be')
    throw badRequest(`file is ${marked.toUpperCase()}, which is not supported: convert it to UTF-8`);
  const isEnd = offset + bytes.length >= fileBytes;
  const start = offset === 0 ? 2 : offset % 2;
  const oddBytes = (bytes.length - start) % 2;
  const units = Buffer.from(bytes.subarray(start, bytes.length - oddBytes));
  const text = (marked === 'utf-16le' ? units : units.swap16()).toString('utf16le');
  // Drops the half of a surrogate pair that was cut in two.
  const whole = text
    .replace(offset > 0 ? /^[\udc00-\udfff]/ : '', '')
    .replace(isEnd ? '' : /[\ud800-\udbff]$/, '');
  if (whole.isWellFormed() && !(isEnd && oddBytes)) return { bytes: Buffer.from(whole), encoding: marked };
  return { bytes: Buffer.from(isEnd && oddBytes ? `${whole}\ufffd` : whole), encoding: 'lossy' };
}

const newline = 0x0a;

/** The result begins at the start of a line if one is within the bound. */
function lastLines(bytes: Buffer, count: number, isWhole: boolean): Buffer {
  const window = bytes.subarray(Math.max(0, bytes.length - fileTextBytesMax));
  // A line break at the very end does not begin another line.
  let end = window.at(-1) === newline ? window.length - 1 : window.length;
  for (let line = 0; line < count && end >= 0; line += 1)
    end = end === 0 ? -1 : window.lastIndexOf(newline, end - 1);
  const start = end + 1;
  if (start > 0) return window.subarray(start);
  return isWhole && window.length === bytes.length ? window : window.subarray(firstStart(window));
}

/** The start of the first complete line, or else of the first complete character. */
function firstStart(window: Buffer): number {
  const line = window.indexOf(newline) + 1;
  if (line > 0 && line < window.length) return line;
  const isStart = (byte: number) => (byte & 0b1100_0000) !== 0b1000_0000;
  // The longest character has four bytes.
  return Math.max(0, window.subarray(0, 4).findIndex(isStart));
}

/** Returns null for bytes that are not UTF-8. @param isCut whether the last character may lack bytes */
function decode(bytes: Buffer, { fatal = false, isCut }: { fatal?: boolean; isCut: boolean }): string | null {
  try {
    // `stream` leaves out an incomplete last character.
    return new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}
