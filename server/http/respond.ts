/**
 * Sends responses: a JSON response leaves in one piece, head and body at once, which costs less than setting Koa's headers
 * one by one; a file is sent by Koa. Bytes that clients have not taken are charged to a budget, and a client that takes none
 * of a large response, or less than a floor, is disconnected.
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
  /** The address users see, when it is configured. */
  publicUrl: string | undefined;
  brand: Brand;
  /** While the service is stopping, every response closes its connection, so that no request follows it. */
  readiness: Pick<Readiness, 'stopping'>;
  responseBytes: ByteBudget;
}

interface SentTo {
  /** Headers of the limit that the request was counted against. */
  limits?: Headers;
  /** Whom the bytes are charged to; a visitor unless stated. */
  caller?: Caller;
}

/** Sends a response; the refusal where its client, or all of them, leave too many bytes unread. */
export type Send = (ctx: RequestContext, response: Response | null, to?: SentTo) => ApiError | null;

/** The kernel takes a response of this size at once, unless its client has stopped reading. */
const smallBytesMax = 64 * 1024;

export function createSend({ publicUrl, brand, readiness, responseBytes }: SendOptions): Send {
  const common = commonHeaders(publicUrl);
  const realm = realmOf(brand);
  const unsent = new UnsentResponses(responseBytes);
  // Cheaper to copy and to write than an object of so many names.
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
    // A client that does not take even a small response, or one that waits for the response before it.
    if (bytes <= smallBytesMax && ctx.res.socket?.writableLength !== 0 && charge()) ctx.req.socket.destroy();
    return null;
  };
}

/**
 * Whose the protected space is (RFC 9110, section 11.5), in ASCII as headers are. A host without a name of its own has challenges
 * without a realm.
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

/** @param common each name followed by its value */
function writeResponse(
  ctx: RequestContext,
  { status, headers, json, contentType = jsonType, bytes }: Response & { bytes: number },
  common: readonly string[],
): void {
  const { res } = ctx;
  const list = [...common];
  if (json !== null) list.push('Content-Type', contentType, 'Content-Length', String(bytes));
  for (const name in headers) {
    const at = common.indexOf(name); // Node sends a name twice that is in a list twice
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
  /** The length of the whole response. */
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

  /** Charges a response until it is sent; the refusal when it exceeds the budget. */
  charge(res: ServerResponse, owner: Owner, bytes: number): ApiError | null {
    if (res.req.socket.destroyed) return null; // nothing is sent, and such a response never closes
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
      // Node closes no response that waited behind another when its connection ended.
      if (socket.destroyed) this.#forget(res);
      else if (isStuck(res, unsent, now)) socket.destroy();
    }
    if (this.#responses.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function isStuck(res: ServerResponse, unsent: Unsent, now: number): boolean {
  // A pipelined response waits for the one before it, which may still be in the making.
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

/** Logs a failure that is ours under the request's id, and counts it. */
export const createReport =
  ({ log, metrics }: Reporting): Report =>
  (failure, { state }, protocol) => {
    const { status, message, apiCode, cause } = asApiError(failure);
    // A refusal of ours is counted only: a line for each would add to the load. Others have a cause to be found.
    if (status >= 500 && (apiCode !== 'overloaded' || cause !== undefined))
      log.error({ requestId: state.request.id, err: failure }, message);
    metrics?.countError(failure, protocol);
  };

/**
 * helmet's, listed, as they are the same for every response: API responses load nothing and may not be framed. HSTS only where
 * PUBLIC_URL is https, as TLS ends in front of us.
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
  'Cache-Control': 'no-store', // responses belong to one key; public ones set their own
  Link,
});

/** RFC 8631 and RFC 9727: how programs find the description and the catalog. */
const Link = `<${descriptionPath}>; rel="service-desc", <${docsPath}>; rel="service-doc", <${discoveryPaths.apiCatalog}>; rel="api-catalog"`;
