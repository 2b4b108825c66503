/** Calls to a panel and its answers, over HTTP. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../parse-json.ts';

export interface PanelAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer | object;
}

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  bytes: Buffer;
}

/** Bounds an upload too, for which a real node allows 100 MB. */
const bodyBytesMax = 8 * 1024 * 1024;

export async function readRequest(req: IncomingMessage): Promise<ReceivedRequest> {
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
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const type = isRaw ? 'text/html; charset=utf-8' : 'application/json';
  res.writeHead(status, { 'Content-Type': type, ...headers });
  return res.end(isRaw ? body : JSON.stringify(body));
}

export const refusal = (status: number, code: string, detail = 'No detail.'): PanelAnswer => ({
  status,
  body: { errors: [{ code, status: String(status), detail }] },
});

/** A node's answer to a link whose token it does not know, or no longer. */
export const refuseToken = ({ method }: ReceivedRequest): PanelAnswer =>
  method === 'POST'
    ? { status: 403, body: { error: 'The token is not valid.' } }
    : { status: 404, body: { error: 'not found' } };

export const notFound = () => refusal(404, 'NotFoundHttpException');

export const readField = ({ body }: ReceivedRequest, name: string): unknown => Object(parseJson(body))[name];

export const toAtom = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');

export const linkTo = (
  { headers }: ReceivedRequest,
  path: 'download/file' | 'download/backup' | 'upload/file',
  token: string,
): PanelAnswer => ({
  body: {
    object: 'signed_url',
    attributes: { url: `http://${headers.host}/${path}?token=${token}` },
  },
});
