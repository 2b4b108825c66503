/**
 * Sends the answer. One in JSON leaves whole, head and body at once, which costs a fraction of what Koa spends on its
 * headers one by one; a page leaves Koa's way, and what it says in its own headers stands.
 */
import type { ServerResponse } from 'node:http';
import { type JsonPieces, lengthOf } from '../../bridge/json-pieces.ts';
import type { Middleware, RequestContext } from '../../bridge/request-state.ts';
import type { Readiness } from '../health/readiness.ts';

type Headers = Record<string, string>;

/**
 * While the service is stopping every answer asks its connection to close, so that no request comes after it.
 * @param common what every answer says, whatever comes of the request
 */
export function createSend(common: Headers, readiness: Pick<Readiness, 'isStopping'>): Middleware {
  // A list is written several times faster than an object of so many names is copied.
  const commonList = Object.entries(common).flat();
  return async function send(ctx, next) {
    await next();
    const { headers, json } = ctx.state;
    if (readiness.isStopping) headers['Connection'] = 'close';
    if (json === null) addHeaders(ctx, { ...common, ...headers });
    else sendJson(ctx, json, commonList);
  };
}

function addHeaders({ res }: RequestContext, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) if (!res.hasHeader(name)) res.setHeader(name, value);
}

/** @param common names and values in turn */
function sendJson(ctx: RequestContext, json: string | JsonPieces, common: readonly string[]): void {
  const { res } = ctx;
  const { method, headers, contentType } = ctx.state;
  const length = typeof json === 'string' ? Buffer.byteLength(json) : lengthOf(json);
  const list = [...common, 'Content-Type', contentType, 'Content-Length', String(length)];
  for (const name in headers) list.push(name, headers[name] ?? '');
  ctx.respond = false;
  res.writeHead(res.statusCode, list);
  if (method === 'HEAD') res.end();
  else if (typeof json === 'string') res.end(json);
  else sendPieces(res, json);
}

function sendPieces(res: ServerResponse, pieces: JsonPieces): void {
  if (pieces.length > 1) res.cork(); // until the end, so that all leave at once
  for (const piece of pieces.slice(0, -1)) res.write(piece);
  res.end(pieces.at(-1));
}
