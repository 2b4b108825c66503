/** Receives a request body: each bounded, and all in progress bounded together. */
import type { IncomingMessage } from 'node:http';
import { payloadTooLarge } from '../../bridge/http/json-body.ts';
import type { RequestState } from '../../bridge/http/request-state.ts';
import { ApiError, badRequest, overloaded } from '../../routers/errors.ts';
import type { ByteBudget } from './byte-budget.ts';
import { ownerOf } from './client.ts';

interface ReceiveOptions {
  requestBytes: ByteBudget;
  /** Lets another request work while this one waits for its client. */
  releaseSlotWhile: <Received>(receiving: Promise<Received>) => Promise<Received>;
}

/** A client whose body took longer is authenticated again: its key, session or admin flag may be gone by then. */
const authenticationMaxAgeMs = 100;

/** The bytes stay counted until the request ends, as what is made of them lives as long. */
export const createReceiveBody = ({
  requestBytes,
  releaseSlotWhile,
}: ReceiveOptions): RequestState['receiveBody'] =>
  async function receiveBody(ctx, bytesMax) {
    const startedAt = performance.now();
    const owner = ownerOf(ctx.state);
    let held = 0;
    const hold = (bytes: number) => {
      if (!requestBytes.hold(owner, bytes)) return false;
      held += bytes;
      return true;
    };
    ctx.state.releaseBody = () => requestBytes.release(owner, held);
    const body = await releaseSlotWhile(collect(ctx.req, bytesMax, hold));
    if (performance.now() - startedAt > authenticationMaxAgeMs) await ctx.state.authenticate?.(ctx);
    return body;
  };

/** @param hold counts a chunk; false when it exceeds the budget */
function collect(req: IncomingMessage, bytesMax: number, hold: (bytes: number) => boolean): Promise<Buffer> {
  const declared = Number(req.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.reject(payloadTooLarge(bytesMax));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (end: () => void) => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      end();
    };
    const refuse = (refusal: ApiError) => settle(() => reject(refusal));
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) refuse(payloadTooLarge(bytesMax));
      else if (!hold(chunk.length)) refuse(overloadedByBytes());
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, length)));
    const onClose = (cause?: unknown) => refuse(badRequest('The body could not be read to its end', cause));
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

/** The rest of the body would be held too, so the connection closes. */
function overloadedByBytes(): ApiError {
  const { apiCode, message, retryAfterSeconds = 1 } = overloaded();
  return new ApiError(apiCode, message, { retryAfterSeconds, headers: { Connection: 'close' } });
}
