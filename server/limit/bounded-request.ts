/** Receives the body of a request within bounds. */
import { IncomingMessage } from 'node:http';
import { payloadTooLarge } from '../../bridge/json.ts';
import { smallChunksMax } from '../../models/bounds.ts';
import { ApiError, badRequest } from '../../routers/errors.ts';

/**
 * Bounds the memory that one read of the socket takes, even while the body is not read. One read may return thousands
 * of small chunks, and each takes a hundred bytes more than its content, so they are merged on arrival. When there
 * are too many, the rest is dropped.
 */
export class BoundedRequest extends IncomingMessage {
  #smallChunks = 0;
  #isUnwanted = false;
  #merged: Buffer | null = null;
  #mergedBytes = 0;

  get hasTooManyChunks(): boolean {
    return this.#smallChunks > smallChunksMax;
  }

  /**
   * Node stops parsing a packet where this is true: on a closed connection, whose packet may contain thousands of
   * further requests, and at CONNECT. The setter ignores Node's value for the header Upgrade, which we do not support.
   */
  get upgrade(): boolean {
    return this.socket.destroyed || this.method === 'CONNECT';
  }

  set upgrade(_: boolean) {}

  /**
   * Node calls this when the response is sent but the body has not been received to its end. Node's method would
   * continue to read without a bound, and every small chunk takes time.
   */
  _dump(): void {
    this.#isUnwanted = true;
    this.removeAllListeners('data').resume();
  }

  override push(chunk: Buffer | null): boolean {
    if (this.hasTooManyChunks) {
      if (this.#isUnwanted) this.socket.destroy();
      return false;
    }
    if (chunk === null || chunk.length >= 256) {
      this.#pushMerged();
      return super.push(chunk);
    }
    this.#smallChunks += 1;
    if (this.#smallChunks === 1) return super.push(chunk); // most bodies have only this one
    this.#merge(chunk);
    return this.hasTooManyChunks ? this.#pushMerged() : true; // `receiveBody` then refuses the body
  }

  #merge(chunk: Buffer): void {
    this.#merged ??= Buffer.allocUnsafe(4096);
    if (this.#mergedBytes + chunk.length > this.#merged.length) this.#pushMerged();
    this.#mergedBytes += chunk.copy(this.#merged, this.#mergedBytes);
  }

  #pushMerged(): boolean {
    if (!this.#merged || this.#mergedBytes === 0) return true;
    const copy = Buffer.from(this.#merged.subarray(0, this.#mergedBytes));
    this.#mergedBytes = 0;
    return super.push(copy);
  }
}

const hasTooManyChunks = (req: IncomingMessage) => req instanceof BoundedRequest && req.hasTooManyChunks;

const chunkOverheadBytes = 256;

export function receiveBody(
  req: IncomingMessage,
  bytesMax: number,
  reserve: (bytes: number) => ApiError | null,
): Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.reject(payloadTooLarge(bytesMax));
  if (req.destroyed) return Promise.reject(brokenOff());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stopReading = (end: () => void) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      end();
    };
    const refuse = (refusal: ApiError) => {
      // Without a listener Node would buffer each further chunk, which costs almost as much as receiving it.
      req.on('data', ignore);
      stopReading(() => reject(refusal));
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      const refusal = reserve(chunk.length + chunkOverheadBytes);
      if (length > bytesMax) refuse(payloadTooLarge(bytesMax));
      else if (hasTooManyChunks(req)) refuse(manySmallChunks());
      else if (refusal) refuse(withConnectionClose(refusal));
      else chunks.push(chunk);
    };
    const onEnd = () => stopReading(() => resolve(Buffer.concat(chunks, length)));
    const onClose = (cause?: unknown) => refuse(brokenOff(cause));
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const ignore = () => {};

const brokenOff = (cause?: unknown) => badRequest('The body could not be read to the end', cause);

const manySmallChunks = () =>
  new ApiError('bad_request', 'The body arrives in too many small chunks', {
    headers: { Connection: 'close' },
  });

/** The connection closes, because the rest of the body would also take memory. */
const withConnectionClose = ({ apiCode, message, retryAfterSeconds = 1 }: ApiError) =>
  new ApiError(apiCode, message, { retryAfterSeconds, headers: { Connection: 'close' } });
