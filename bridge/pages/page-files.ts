/**
 * The files of a browser page: read from the build, or bundled on demand when run from source. koa-static and
 * @koa/send need files on disk, and adapting them takes more code than this.
 */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { cachedBaseUrlsMax } from '../../models/bounds.ts';
import { methodNotAllowed } from '../../routers/errors.ts';
import { allowResponse, type RequestContext, type Response } from '../protocol.ts';

export type NamedContent = [name: string, content: Buffer];

export interface PageSource {
  name: string;
  /** A built service must not call this, because esbuild is a development dependency. */
  bundle: () => Promise<NamedContent[]>;
}

interface PageFile {
  type: string;
  cacheControl: string;
  etag: string;
  content: Buffer;
  gzipped: Buffer;
}

const isRunFromSource = import.meta.url.endsWith('.ts');

/** The bundled program contains this module, so this folder is next to the program. */
const builtPages = new URL('pages/', import.meta.url);

export async function loadPageFiles({ name, bundle }: PageSource): Promise<Map<string, PageFile>> {
  const files = isRunFromSource ? await bundle() : await readBuilt(new URL(`${name}/`, builtPages));
  const presented = files.map(async ([name, content]) => [name, await toPageFile(name, content)] as const);
  return new Map(await Promise.all(presented));
}

async function readBuilt(folder: URL): Promise<NamedContent[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name): Promise<NamedContent> => [name, await readFile(new URL(name, folder))]),
  );
}

export const toPageFile = async (name: string, content: Buffer): Promise<PageFile> => ({
  type: extname(name),
  // The name of a chunk contains the hash of its content.
  cacheControl: name.startsWith('chunk-') ? 'public, max-age=31536000, immutable' : 'no-cache',
  // Weak, because it covers the plain and the compressed form.
  etag: `W/"${hash('sha256', content, 'base64url')}"`,
  content,
  gzipped: await promisify(gzip)(content),
});

export function sendPageFile(
  ctx: RequestContext,
  { type, cacheControl, etag, content, gzipped }: PageFile,
): null {
  ctx.status = 200;
  ctx.type = type;
  ctx.set({ ETag: etag, 'Cache-Control': cacheControl });
  ctx.vary('Accept-Encoding');
  if (ctx.fresh) {
    ctx.status = 304;
    return null;
  }
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isCompressed) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isCompressed ? gzipped : content;
  return null;
}

/** A page may load and call only its own origin, and must not be framed. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';');

const Allow = 'GET, HEAD, OPTIONS';

export function respondPageFile(ctx: RequestContext, file: PageFile): Response | null {
  const { method } = ctx.state.request;
  if (method === 'GET' || method === 'HEAD') return sendPageFile(ctx, file);
  if (method === 'OPTIONS') return allowResponse(Allow);
  throw methodNotAllowed(method, Allow);
}

/** Returns the base URL that a document may contain. Once the cache is full, a new base URL becomes ''. */
export function createBaseUrlLimiter(): (baseUrl: string) => string {
  const known = new Set<string>();
  return function limitBaseUrl(baseUrl) {
    if (known.size < cachedBaseUrlsMax - 1) known.add(baseUrl);
    return known.has(baseUrl) ? baseUrl : '';
  };
}
