/**
 * Sends the response. A JSON response leaves in one piece, head and body at once, which costs a fraction of setting Koa's
 * headers one by one; a file is sent by Koa, and headers it has set stay.
 */
import type { ServerResponse } from 'node:http';
import { type JsonChunks, lengthOf } from '../../bridge/http/json-chunks.ts';
import type { Middleware, RequestContext, RequestState } from '../../bridge/http/request-state.ts';
import { ApiError, overloaded } from '../../routers/errors.ts';
import { ownerOf } from './client.ts';
import { respondError } from './errors.ts';
import type { UnsentResponses } from './unsent-responses.ts';

type Headers = Record<string, string>;

interface SendOptions {
  /** Headers of every response. */
  common: Headers;
  /** While the service is stopping, every response closes its connection, so that no request follows it. */
  readiness: { readonly isStopping: boolean };
  unsent: UnsentResponses;
}

/** The kernel takes a response of this size at once, unless its client has stopped reading. */
const smallBytesMax = 64 * 1024;

export function createSend({ common, readiness, unsent }: SendOptions): Middleware {
  // A list is written several times faster than an object of so many names is copied.
  const commonList = Object.entries(common).flat();
  return async function send(ctx, next) {
    await next();
    const { headers, json } = ctx.state;
    if (readiness.isStopping) headers['Connection'] = 'close';
    if (json === null) return addHeaders(ctx, { ...common, ...headers });
    const bytes = lengthOf(json);
    const hasRoom = bytes <= smallBytesMax || unsent.charge(ctx.res, ownerOf(ctx.state), bytes);
    if (hasRoom) sendJson(ctx, { json, bytes }, commonList);
    else sendRefusal(ctx, commonList);
    // A client that does not take even a small response.
    if (bytes <= smallBytesMax && (ctx.res.socket?.writableLength ?? 0) > 0)
      if (!unsent.charge(ctx.res, ownerOf(ctx.state), bytes)) ctx.req.socket.destroy();
  };
}

function addHeaders({ res }: RequestContext, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) if (!res.hasHeader(name)) res.setHeader(name, value);
}

function sendRefusal(ctx: RequestContext, common: readonly string[]): void {
  respondError(ctx, noRoom(ctx.state));
  const { json } = ctx.state;
  if (json !== null) sendJson(ctx, { json, bytes: lengthOf(json) }, common);
}

const noRoom = ({ calls }: RequestState): ApiError =>
  calls.some(({ isWrite }) => isWrite)
    ? new ApiError('overloaded', 'Too many responses are waiting to be read; the calls were made', {
        retryAfterSeconds: 1,
      })
    : overloaded();

interface JsonBody {
  json: string | JsonChunks;
  bytes: number;
}

/** @param common names and values in turn */
function sendJson(ctx: RequestContext, { json, bytes }: JsonBody, common: readonly string[]): void {
  const { res } = ctx;
  const { method, headers, contentType } = ctx.state;
  const list = [...common, 'Content-Type', contentType, 'Content-Length', String(bytes)];
  for (const name in headers) list.push(name, headers[name] ?? '');
  ctx.respond = false;
  res.writeHead(res.statusCode, list);
  if (method === 'HEAD') res.end();
  else if (typeof json === 'string') res.end(json);
  else sendChunks(res, json);
}

function sendChunks(res: ServerResponse, chunks: JsonChunks): void {
  if (chunks.length > 1) res.cork(); // until the end, so that all leave at once
  for (const chunk of chunks.slice(0, -1)) res.write(chunk);
  res.end(chunks.at(-1));
}
