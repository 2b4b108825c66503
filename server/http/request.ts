/**
 * What is known of a request from its head: its id, the address it comes from, and the address it was sent to; and its
 * body, received within bounds.
 */
import { randomUUID } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type Koa from 'koa';
import { payloadTooLarge } from '../../bridge/json.ts';
import {
  headerOf,
  type RequestContext,
  type RequestRecord,
  type RequestState,
} from '../../bridge/protocol.ts';
import { smallChunksMax } from '../../models/bounds.ts';
import { type Caller, visitor } from '../../routers/caller.ts';
import { ApiError, badRequest } from '../../routers/errors.ts';
import { maskSecrets } from '../../routers/support/mask-secrets.ts';
import { groupsOf, meantAddress } from '../outbound/addresses.ts';

/** The record of redirects, probes and preflights, which the pipeline does not handle. */
const notHandled: RequestRecord = { protocol: 'rest', caller: visitor, calls: [] };

/** The state that a request begins with. */
export const createState = (ctx: RequestContext): RequestState => ({
  request: {
    id: sentRequestId(ctx) ?? randomUUID().replaceAll('-', ''), // 32 hex digits, like trace ids
    method: ctx.req.method ?? '',
    path: pathOf(ctx),
    address: clientAddress(ctx.ip),
    receivedAt: performance.now(),
  },
  record: notHandled,
});

/** What some clients and probes are configured to call with a slash at its end, where nothing else is. */
const takesSlash = /^\/(mcp|healthz|readyz|trpc\/[^/]+|\.well-known\/oauth-[\w-]+(\/mcp)?)\/$/;

/** Empty where the target has no path or cannot be parsed, which `refuseHead` refuses. */
function pathOf(ctx: RequestContext): string {
  try {
    const path = ctx.path ?? ''; // its type does not say that it may be null
    return path.endsWith('/') && takesSlash.test(path) ? path.slice(0, -1) : path;
  } catch {
    return '';
  }
}

const safe = /^[\w.:-]{1,128}$/;

/** The request's own id, if it is safe to log. */
function sentRequestId(ctx: RequestContext): string | null {
  const sent = headerOf(ctx, 'x-request-id');
  return safe.test(sent) && maskSecrets(sent) === sent ? sent : null;
}

/** An address as a proxy wrote it into X-Forwarded-For, without the port that some add: 1.2.3.4:5678 or [v6]:5678. */
export function clientAddress(written: string): string {
  if (!written.includes(':') || isIPv6(written)) return written;
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(written)?.[1];
  return bracketed ?? written.replace(/:\d+$/, '');
}

const groupBits = 16;

/**
 * What requests and failures are counted for: an IPv4 address itself, however IPv6 writes it, or the network of an IPv6 address.
 *
 * @param bits of an IPv6 address's prefix: 64 for a subscriber, 48 for the site that many providers assign
 */
export function networkOf(address: string, bits: 64 | 48 = 64): string {
  if (!isIPv6(address)) return address;
  const [withoutZone = ''] = address.split('%');
  const meant = meantAddress(withoutZone);
  if (isIPv4(meant)) return meant;
  return `${groupsOf(withoutZone)
    .slice(0, bits / groupBits)
    .join(':')}::/${bits}`;
}

/** Who uses what a process has: a user by id, or the network of a visitor's address. */
export type Owner = number | string;

export const ownerOf = ({ state }: RequestContext, { kind, userId }: Caller): Owner =>
  kind === 'visitor' ? networkOf(state.request.address) : userId;

/** A host name, IPv4 address or bracketed IPv6 address, with an optional port. */
const hostPattern = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * From Host, or X-Forwarded-Host and X-Forwarded-Proto behind a trusted proxy; from the socket when they are malformed.
 * Without a trailing slash.
 */
export function baseUrlOf({ host, protocol, req }: Pick<Koa.Context, 'host' | 'protocol' | 'req'>): string {
  const scheme = protocol === 'https' ? 'https' : 'http'; // X-Forwarded-Proto may be any text
  return `${scheme}://${hostPattern.test(host) ? host.toLowerCase() : socketHost(req.socket)}`;
}

function socketHost({ localAddress = 'localhost', localPort = 80 }: Koa.Context['req']['socket']): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/**
 * A request that bounds what one read of the socket makes us hold, also while the body is not read. Small chunks, of which a
 * read may hold thousands, are merged as they come, as each takes a hundred bytes in addition to its own; of too many, the rest is
 * dropped.
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
   * Node stops parsing a packet at an upgrade; this makes it stop at the next request of a closed connection, which may have
   * thousands left. CONNECT is an upgrade as ever; the header Upgrade, which Node notes here, asks for nothing we do.
   */
  get upgrade(): boolean {
    return this.socket.destroyed || this.method === 'CONNECT';
  }

  set upgrade(_: boolean) {}

  /**
   * Node calls this when the response is sent and the body is not received. Its own would read on without a bound, and every
   * small chunk takes time.
   */
  _dump(): void {
    this.#isUnwanted = true;
    this.removeAllListeners('data').resume();
  }

  /** @param chunk null: the body ends */
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
    if (this.#smallChunks === 1) return super.push(chunk); // the whole of most bodies
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
    const copy = Buffer.from(this.#merged.subarray(0, this.#mergedBytes)); // no longer than what is in it
    this.#mergedBytes = 0;
    return super.push(copy);
  }
}

const hasTooManyChunks = (req: IncomingMessage) => req instanceof BoundedRequest && req.hasTooManyChunks;

/** What a chunk takes in memory in addition to its bytes. */
const chunkOverheadBytes = 256;

/** @param hold counts the memory of a chunk; the refusal when there is no room for it */
export function receiveBody(
  req: IncomingMessage,
  bytesMax: number,
  hold: (bytes: number) => ApiError | null,
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
      // Without a listener Node would buffer each further chunk, which takes most of the time that one takes.
      req.on('data', ignore);
      stopReading(() => reject(refusal));
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      const refusal = hold(chunk.length + chunkOverheadBytes);
      if (length > bytesMax) refuse(payloadTooLarge(bytesMax));
      else if (hasTooManyChunks(req)) refuse(manySmallChunks());
      else if (refusal) refuse(closing(refusal));
      else chunks.push(chunk);
    };
    const onEnd = () => stopReading(() => resolve(Buffer.concat(chunks, length)));
    const onClose = (cause?: unknown) => refuse(brokenOff(cause));
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

const ignore = () => {};

const brokenOff = (cause?: unknown) => badRequest('The body could not be read to its end', cause);

const manySmallChunks = () =>
  new ApiError('bad_request', 'The body comes in too many small chunks', {
    headers: { Connection: 'close' },
  });

/** The rest of the body would be held too, so the connection closes. */
const closing = ({ apiCode, message, retryAfterSeconds = 1 }: ApiError) =>
  new ApiError(apiCode, message, { retryAfterSeconds, headers: { Connection: 'close' } });
