/** JSON out of a request's body, read once, bounded, strict UTF-8; anything else is refused by name. */
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { ApiError, badRequest } from '../routers/errors.ts';

const jsonType = 'application/json';

/** 10,000 characters take up to 120,000 bytes when every one is escaped; this leaves room for the rest. */
export const bodyBytesMax = 256 * 1024;

/** Any JSON value; refuses with 400 or 413. */
export async function readJson(req: IncomingMessage, bytesMax = bodyBytesMax): Promise<unknown> {
  if (!hasBody(req)) throw badRequest('The body is missing; send a JSON object');
  refuseOtherTypes(req);
  const text = decodeUtf8(await readBytes(req, bytesMax));
  if (text.trim() === '') throw badRequest('The body is empty; send a JSON object');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badRequest('The body is not valid JSON', cause);
  }
}

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function refuseOtherTypes({ headers }: IncomingMessage): void {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = headers;
  if (contentType !== jsonType) refuseOtherMedia(contentType);
  if (encoding !== 'identity') throw badRequest('The body must not be compressed');
}

function refuseOtherMedia(contentType: string): void {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  if (mediaType.trim() !== jsonType) throw badRequest(`Content-Type must be ${jsonType}`);
  const charset = parameters.map((parameter) => parameter.trim()).find((text) => text.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) throw badRequest('The body must be UTF-8');
}

async function readBytes(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  try {
    return await getRawBody(req, { limit: bytesMax, length: req.headers['content-length'] ?? null });
  } catch (cause) {
    if (isTooLarge(cause)) throw payloadTooLarge(bytesMax, cause);
    throw badRequest('The body could not be read to its end', cause);
  }
}

export const payloadTooLarge = (bytesMax: number, cause?: unknown) =>
  new ApiError('payload_too_large', `The body must be at most ${bytesMax} bytes`, {
    cause,
    // Without it Node would go on reading what was refused.
    headers: { Connection: 'close' },
  });

const isTooLarge = (failure: unknown) =>
  failure instanceof Error && 'type' in failure && failure.type === 'entity.too.large';

/** Keeps nothing between texts, and is dear to make. */
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
