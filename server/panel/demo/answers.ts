/** Calls of an emulated panel and its answers, as HTTP carries them. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

export interface PanelAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | Buffer | Readable | object;
  /** What Pelican refuses before it counts the call, so that no limit is told. */
  isUncounted?: boolean;
}

export interface PanelCall {
  method: string;
  /** With its query, as it came. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  bytes: Buffer;
}

const bodyBytesMax = 1024 * 1024;

/** @throws when the body is too long */
export async function readPanelCall(req: IncomingMessage): Promise<PanelCall> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  const { method = '', url: path = '', headers } = req;
  const all = Buffer.concat(chunks);
  return { method, path, headers, body: all.toString(), bytes: all };
}

export function sendPanelAnswer(res: ServerResponse, { status = 200, headers = {}, body }: PanelAnswer) {
  if (body === undefined) return res.writeHead(status, headers).end();
  if (body instanceof Readable) return body.pipe(res.writeHead(status, headers));
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const type = isRaw ? 'text/html; charset=utf-8' : 'application/json';
  res.writeHead(status, { 'Content-Type': type, ...headers });
  return res.end(isRaw ? body : JSON.stringify(body));
}

/** A panel's error body. */
export const errorEnvelope = (status: number, code: string, detail = 'No detail.') => ({
  errors: [{ code, status: String(status), detail }],
});

export const refusal = (status: number, code: string, detail?: string): PanelAnswer => ({
  status,
  body: errorEnvelope(status, code, detail),
});

export const notFound = (
  detail = 'The requested resource could not be found on the server.',
): PanelAnswer => ({ ...refusal(404, 'NotFoundHttpException', detail), isUncounted: true });

export function invalidField(field: string, rule: string, detail: string): PanelAnswer {
  const [error] = errorEnvelope(422, 'ValidationException', detail).errors;
  return { status: 422, body: { errors: [{ ...error, meta: { source_field: field, rule } }] } };
}

interface Page {
  size: number;
  /** From 1. */
  page: number;
}

/** The page of a list that a query asks for, with what a panel says of it. */
export function paginate<Item>(all: readonly Item[], { size, page }: Page) {
  const data = all.slice((page - 1) * size, page * size);
  const total_pages = Math.max(1, Math.ceil(all.length / size));
  const pagination = {
    total: all.length,
    count: data.length,
    per_page: size,
    current_page: page,
    total_pages,
    links: {},
  };
  return { data, pagination };
}
