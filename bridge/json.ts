/** Reads JSON bodies, bounded and in strict UTF-8. A body parser for Koa takes longer than the rest of a small call. */
import type { IncomingMessage } from 'node:http';
import { bodyBytesMax, jsonTokensMax, visitorBodyBytesMax } from '../models/bounds.ts';
import type { Caller } from '../routers/caller.ts';
import { ApiError, badRequest } from '../routers/errors.ts';

const jsonType = 'application/json';

export const bodyBytesMaxOf = ({ kind }: Caller, operation: { bodyBytesMax?: number } = {}): number =>
  kind === 'visitor' ? visitorBodyBytesMax : (operation.bodyBytesMax ?? bodyBytesMax);

interface ReceivableRequest {
  ctx: { req: IncomingMessage };
  admission: { receiveBody(req: IncomingMessage, bytesMax: number): Promise<Buffer> };
}

interface JsonBounds {
  bytesMax?: number;
  /** Each field or item counts as about two tokens. */
  tokensMax?: number;
}

export async function readJson(
  { ctx: { req }, admission }: ReceivableRequest,
  { bytesMax = bodyBytesMax, tokensMax = jsonTokensMax }: JsonBounds = {},
): Promise<unknown> {
  if (!hasBody(req)) throw badRequest('The body is missing; send a JSON object');
  requireJsonHeaders(req);
  const bytes = await admission.receiveBody(req, bytesMax);
  refuseManyTokens(bytes, tokensMax);
  const text = decodeUtf8(bytes);
  if (text.trim() === '') throw badRequest('The body is empty; send a JSON object');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badRequest('The body is not valid JSON', cause);
  }
}

export function parseJsonText(text: string, tokensMax: number): unknown {
  try {
    refuseManyTokens(Buffer.from(text), tokensMax);
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

export function requireJsonHeaders({ headers }: IncomingMessage): void {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = headers;
  if (contentType !== jsonType) requireJsonMediaType(contentType);
  if (encoding !== 'identity') throw badRequest('The body must not be compressed');
}

function requireJsonMediaType(contentType: string): void {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  if (mediaType.trim() !== jsonType) throw badRequest(`Content-Type must be ${jsonType}`);
  const charset = parameters.map((parameter) => parameter.trim()).find((text) => text.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) throw badRequest('The body must be UTF-8');
}

export const payloadTooLarge = (bytesMax: number) =>
  new ApiError('payload_too_large', `The body must be at most ${bytesMax} bytes`, {
    // Without this header, Node would continue to read the refused body.
    headers: { Connection: 'close' },
  });

function refuseManyTokens(bytes: Buffer, tokensMax: number): void {
  if (bytes.length <= 2 * tokensMax) return; // too short to cost much
  let tokens = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length && tokens <= tokensMax; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === backslash && isInString) at += 1;
    else if (byte === quote) isInString = !isInString;
    else if (!isInString && tokenBytes.has(byte)) tokens += 1;
  }
  if (tokens > tokensMax) throw badRequest('The body has too many fields or items');
}

const quote = 0x22;
const backslash = 0x5c;
const tokenBytes = new Set(Buffer.from(',:{['));

/** One decoder for all bodies: it is expensive to construct and has no state between texts. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (cause) {
    throw badRequest('The body must be valid UTF-8', cause);
  }
}

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
