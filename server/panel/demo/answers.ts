/** Calls of an emulated panel and its answers, as HTTP carries them. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { parseJson } from '../parse-json.ts';

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
  let length = 0;
  for await (const chunk of req) {
    length += chunk.length;
    if (length > bodyBytesMax) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  const { method = '', url: path = '', headers } = req;
  const bytes = Buffer.concat(chunks);
  return { method, path, headers, body: bytes.toString(), bytes };
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

export const limitHeaders = ({ limit, remaining }: { limit: number; remaining: number }) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
});

export const notFound = (): PanelAnswer => ({ ...refusal(404, 'NotFoundHttpException'), isUncounted: true });
export const accessDenied = () => refusal(403, 'AccessDeniedHttpException', 'This action is unauthorized.');
export const invalidBody = () => refusal(422, 'ValidationException');

/** Whether a body that is said to be JSON is none, as both panels see before anything else. */
export const isMalformedJson = (call: PanelCall) =>
  Boolean(call.headers['content-type']?.includes('json') && call.body) && parseJson(call.body) === undefined;

/** The field of a JSON body; undefined where the body is no JSON object. */
export const readField = ({ body }: PanelCall, name: string): unknown => Object(parseJson(body))[name];

/** The page of a list that a query asks for, with what a panel says of it. */
export function paginate<Item>(
  all: readonly Item[],
  query: URLSearchParams,
  sizes = { usual: 50, most: 100 },
) {
  const per_page = Math.min(Number(query.get('per_page') ?? sizes.usual), sizes.most);
  const current_page = Number(query.get('page') ?? 1);
  const data = all.slice((current_page - 1) * per_page, current_page * per_page);
  const total_pages = Math.max(1, Math.ceil(all.length / per_page));
  return { data, pagination: { total: all.length, count: data.length, per_page, current_page, total_pages } };
}
