/**
 * Sends responses. The head and body of a JSON response leave in one piece, which costs less than setting Koa's headers one by
 * one. Koa sends files. Bytes that a client has not read yet count against a budget. A client that reads a large response too
 * slowly, or not at all, is disconnected.
 */
import type { ServerResponse } from 'node:http';
import { discoveryPaths } from '../../bridge/discovery/well-known.ts';
import { descriptionPath, docsPath } from '../../bridge/docs/docs.ts';
import { type Brand, productBrand } from '../../bridge/pages/brand.ts';
import type { Headers, RequestContext, Response } from '../../bridge/protocol.ts';
import type { Report } from '../../bridge/run-calls.ts';
import { bytesPerSecondMin, idleMsMax } from '../../models/bounds.ts';
import { type Caller, visitor } from '../../routers/caller.ts';
import { type ApiError, asApiError } from '../../routers/errors.ts';
import type { ByteBudget } from '../limit/byte-budget.ts';
import { type Owner, ownerOf } from '../limit/owner.ts';
import type { Readiness } from '../observability/health.ts';
import type { Reporting } from './log.ts';

interface SendOptions {
  publicUrl: string | undefined;
  brand: Brand;
  /** While the service stops, every response closes its connection, so that no request follows. */
  readiness: Pick<Readiness, 'stopping'>;
  responseBytes: ByteBudget;
}

interface SentTo {
  limits?: Headers;
  /** The bytes count against the budget of this caller, by default a visitor. */
  caller?: Caller;
}

/** Returns the refusal if this client, or all clients together, leave too many bytes unread. */
export type Send = (ctx: RequestContext, response: Response | null, to?: SentTo) => ApiError | null;

/** The kernel takes a response of this size at once, unless the client has stopped reading. */
const smallBytesMax = 64 * 1024;

export function createSend({ publicUrl, brand, readiness, responseBytes }: SendOptions): Send {
  const common = commonHeaders(publicUrl);
  const realm = realmOf(brand);
  const unsent = new UnsentResponses(responseBytes);
  // A list is cheaper to copy and to write than an object with this many names.
  const commonList = Object.entries(common).flat();
  return function send(ctx, response, { limits, caller = visitor } = {}) {
    const { id } = ctx.state.request;
    const headers: Headers = { 'X-Request-Id': id, ...limits, ...response?.headers };
    if (realm !== null && headers['WWW-Authenticate'])
      headers['WWW-Authenticate'] = withRealm(headers['WWW-Authenticate'], realm);
    if (readiness.stopping.aborted) headers['Connection'] = 'close';
    if (!response) return leaveToKoa(ctx, { ...common, ...headers });
    const { json } = response;
    const bytes = json === null ? 0 : Buffer.byteLength(json);
    const charge = () => unsent.charge(ctx.res, ownerOf(ctx, caller), bytes);
    const refusal = bytes > smallBytesMax ? charge() : null;
    if (refusal) return refusal;
    writeResponse(ctx, { ...response, headers, bytes }, commonList);
    // The client has not read even a small response, or this response waits behind another.
    if (bytes <= smallBytesMax && ctx.res.socket?.writableLength !== 0 && charge()) ctx.req.socket.destroy();
    return null;
  };
}

/**
 * The name of the protected space (RFC 9110, section 11.5), reduced to ASCII for the header. Null without HOST_NAME:
 * challenges then have no realm.
 */
function realmOf({ name, keyPrefix }: Brand): string | null {
  if (name === productBrand.name) return null;
  return (
    name
      .normalize('NFKD')
      .replace(/[^ !#-[\]-~]/g, '')
      .trim() || keyPrefix
  );
}

const withRealm = (challenge: string, realm: string) =>
  `${challenge}${challenge.includes(' ') ? ',' : ''} realm="${realm}"`;

function leaveToKoa({ res }: RequestContext, headers: Headers): null {
  for (const [name, value] of Object.entries(headers)) if (!res.hasHeader(name)) res.setHeader(name, value);
  return null;
}

const jsonType = 'application/json; charset=utf-8';

/** @param common names and values alternately */
function writeResponse(
  ctx: RequestContext,
  { status, headers, json, contentType = jsonType, bytes }: Response & { bytes: number },
  common: readonly string[],
): void {
  const { res } = ctx;
  const list = [...common];
  if (json !== null) list.push('Content-Type', contentType, 'Content-Length', String(bytes));
  for (const name in headers) {
    const at = common.indexOf(name); // Node would send a name twice if the list has it twice
    if (at < 0) list.push(name, headers[name] ?? '');
    else list[at + 1] = headers[name] ?? '';
  }
  ctx.respond = false;
  res.writeHead(status, list);
  if (json === null || ctx.state.request.method === 'HEAD') res.end();
  else res.end(json);
}

interface Unsent {
  owner: Owner;
  bytes: number;
  startedAt: number;
  unsentBytes: number;
  progressAt: number;
}

const checkEveryMs = 1000;

class UnsentResponses {
  readonly #budget: ByteBudget;
  readonly #responses = new Map<ServerResponse, Unsent>();
  #timer: NodeJS.Timeout | undefined;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Charges the owner until the response is closed. Returns the refusal if the bytes exceed the budget. */
  charge(res: ServerResponse, owner: Owner, bytes: number): ApiError | null {
    if (res.req.socket.destroyed) return null; // no `close` event would follow, so the charge would stay
    const refusal = this.#budget.reserve(owner, bytes);
    if (refusal) return refusal;
    const now = performance.now();
    this.#responses.set(res, { owner, bytes, startedAt: now, unsentBytes: bytes, progressAt: now });
    res.once('close', () => this.#forget(res));
    this.#timer ??= setInterval(() => this.#check(), checkEveryMs).unref();
    return null;
  }

  #forget(res: ServerResponse): void {
    const unsent = this.#responses.get(res);
    if (!unsent) return;
    this.#budget.release(unsent.owner, unsent.bytes);
    this.#responses.delete(res);
  }

  #check(): void {
    const now = performance.now();
    for (const [res, unsent] of this.#responses) {
      const { socket } = res.req;
      // When a connection ends, Node does not close a response that waited behind another.
      if (socket.destroyed) this.#forget(res);
      else if (isStuck(res, unsent, now)) socket.destroy();
    }
    if (this.#responses.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function isStuck(res: ServerResponse, unsent: Unsent, now: number): boolean {
  // A pipelined response waits for the one before it, which may not exist yet.
  if (!res.socket) {
    unsent.startedAt = now;
    unsent.progressAt = now;
    return false;
  }
  const unsentBytes = res.socket.writableLength;
  if (unsentBytes < unsent.unsentBytes) {
    unsent.unsentBytes = unsentBytes;
    unsent.progressAt = now;
  }
  if (now - unsent.progressAt > idleMsMax) return true;
  const elapsedMs = now - unsent.startedAt;
  const takenBytes = unsent.bytes - unsentBytes;
  return elapsedMs > idleMsMax && takenBytes < (bytesPerSecondMin * elapsedMs) / 1000;
}

export const createReport =
  ({ log, metrics }: Reporting): Report =>
  (failure, { state }, protocol) => {
    const { status, message, apiCode, cause } = asApiError(failure);
    // `overloaded` without a cause is a refusal by our own bounds. It is only counted: logging each would add to the load.
    if (status >= 500 && (apiCode !== 'overloaded' || cause !== undefined))
      log.error({ requestId: state.request.id, err: failure }, message);
    metrics?.countError(failure, protocol);
  };

/**
 * The headers that helmet would set, computed once because every response has the same. API responses load nothing and must
 * not be framed. HSTS needs an https PUBLIC_URL, because TLS ends in front of us.
 */
const commonHeaders = (publicUrl: string | undefined): Headers => ({
  'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  ...(publicUrl?.startsWith('https:') && {
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  }),
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
  'Cache-Control': 'no-store', // most responses are for one key; public ones override this
  Link,
});

/** Lets programs find the description (RFC 8631) and the catalog (RFC 9727). */
const Link = `<${descriptionPath}>; rel="service-desc", <${docsPath}>; rel="service-doc", <${discoveryPaths.apiCatalog}>; rel="api-catalog"`;
