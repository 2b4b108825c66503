/** Hashes a fetched file, and recognizes an incomplete ZIP archive. */
import { createHash } from 'node:crypto';
import { badRequest } from '../../routers/errors.ts';
import type { FileFetch } from '../../routers/panel-port.ts';
import type { BodySink } from './node-download.ts';

export const fetchedBytesMax = 128 * 1024 * 1024;

export function requireSize(bytes: number): void {
  if (bytes > fetchedBytesMax) throw badRequest('The file is larger than 128 MiB, the maximum for a fetch');
}

export class Digest implements BodySink {
  readonly timeoutMs: number;
  readonly #hashes = { sha256: createHash('sha256'), sha512: createHash('sha512') };
  readonly #ends = new ArchiveEnds();
  bytes = 0;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  begin() {}

  write(chunk: Buffer) {
    this.bytes += chunk.length;
    for (const hash of Object.values(this.#hashes)) hash.update(chunk);
    this.#ends.write(chunk);
    requireSize(this.bytes);
    return true;
  }

  hex = (algorithm: 'sha256' | 'sha512') => this.#hashes[algorithm].copy().digest('hex');

  mismatch(wanted: FileFetch): string | null {
    const algorithm = wanted.sha256 === undefined ? 'sha512' : 'sha256';
    const found = this.hex(algorithm);
    return found === wanted[algorithm] ? null : `The file at url has a different ${algorithm}: ${found}`;
  }

  isWholeArchive = () => this.#ends.isWhole();
}

/** Parts of a ZIP file (APPNOTE 4.3.7, 4.3.16): plugins and mods are ZIP files. */
const firstHeader = Buffer.from('PK\x03\x04', 'latin1');
const endRecord = { signature: Buffer.from('PK\x05\x06', 'latin1'), bytes: 22, commentLengthAt: 20 };
const endBytesMax = endRecord.bytes + 0xffff;

class ArchiveEnds {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);

  write(chunk: Buffer) {
    if (this.#head.length < firstHeader.length)
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, firstHeader.length)]);
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-endBytesMax)]).subarray(-endBytesMax);
  }

  /** Null if the file is not a ZIP archive, or has bytes after the archive's end. */
  isWhole(): boolean | null {
    if (!this.#head.subarray(0, firstHeader.length).equals(firstHeader)) return null;
    const at = this.#tail.lastIndexOf(endRecord.signature);
    if (at === -1) return false;
    const left = this.#tail.length - at - endRecord.bytes;
    return left >= 0 && left === this.#tail.readUInt16LE(at + endRecord.commentLengthAt) ? true : null;
  }
}
