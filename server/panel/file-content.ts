/** What is read of a file, of which no more is held than is shown, whatever its size. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../../routers/errors.ts';
import { fileTextBytesMax } from '../../routers/file-text.ts';
import { markOf, type ShownText, showText } from './file-text.ts';
import type { BodySink } from './node-download.ts';

interface Wanted {
  /** As listed. */
  bytes: number;
  /** The last lines, in place of the beginning. */
  tail?: number | undefined;
  /** Whether to read on to the end, for the hash. */
  isWhole?: boolean;
}

/** What is read of one for its end, where the node knows no ranges. */
const endBytesMax = 64 * 1024 * 1024;
/** What is read of one to compare it. */
export const hashedBytesMax = 16 * 1024 * 1024;

export class FileContent implements BodySink {
  readonly #wanted: Wanted;
  readonly #hash = createHash('sha256');
  #chunks: Buffer[] = [];
  #keptBytes = 0;
  #first: readonly number[] = [];
  #isStopped = false;
  /** Of the whole file, as is said before it comes. */
  #announcedBytes: number | null = null;
  /** How many came. */
  bytes = 0;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  /** Whether all that comes is read. */
  get #isRead() {
    return this.#wanted.tail !== undefined || this.#wanted.isWhole === true;
  }

  begin({ 'content-length': length }: IncomingHttpHeaders): void {
    if (length !== undefined) this.#announcedBytes = Number(length);
    if (this.#isRead && Number(length) > this.#readBytesMax) throw this.#tooLarge();
  }

  write(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    if (this.#isRead && this.bytes > this.#readBytesMax) throw this.#tooLarge();
    this.#hash.update(chunk);
    if (this.#first.length < 4) this.#first = [...this.#first, ...chunk.subarray(0, 4)].slice(0, 4);
    if (this.#wanted.tail !== undefined) this.#keepLast(chunk);
    else if (this.bytes - chunk.length <= fileTextBytesMax) this.#keep(chunk);
    this.#isStopped = !this.#isRead && this.bytes > fileTextBytesMax;
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

  get #readBytesMax() {
    return this.#wanted.isWhole ? hashedBytesMax : endBytesMax;
  }

  #tooLarge() {
    return this.#wanted.isWhole ? tooLargeToCompare() : tooLargeForEnd();
  }

  /** Of the whole file, which may have grown since it was listed. */
  get fileBytes(): number {
    return this.#isStopped ? (this.#announcedBytes ?? Math.max(this.#wanted.bytes, this.bytes)) : this.bytes;
  }

  /** Ends the hash, once; null where the file was not read whole. */
  sha256(): string | null {
    return this.bytes === this.fileBytes ? this.#hash.digest('hex') : null;
  }

  /** @throws bad_request where it is not text */
  text(): ShownText {
    const kept = Buffer.concat(this.#chunks);
    const { tail } = this.#wanted;
    const bytes = tail === undefined ? kept.subarray(0, fileTextBytesMax) : kept.subarray(-fileTextBytesMax);
    const offset = tail === undefined ? 0 : this.bytes - bytes.length;
    return showText({ bytes, offset, fileBytes: this.fileBytes, marked: markOf(this.#first) }, tail);
  }
}

export const tooLargeToCompare = () =>
  badRequest('file is larger than 16 MiB, which is the most that is compared: write it without if_sha256');

const tooLargeForEnd = () =>
  badRequest('file is larger than 64 MiB, which is the most that is read; get a download link for it');
