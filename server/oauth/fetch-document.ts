/**
 * Fetches the metadata document of an app whose client_id is its address (draft-ietf-oauth-client-id-metadata-document), as
 * `fetch` of the authorization server's library, which ends the request after 2.5 s.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import { acceptMetadata } from './client-metadata.ts';
import { isPublicUrl, lookUpPublic } from './public-address.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const documentBytesMax = 5 * 1024;

/** From public addresses only: not `fetch`, which looks the host up without a check. */
export const fetchPublic: Fetch = async (url, { signal, headers } = {}) => {
  if (!signal) throw new Error('the request has no end');
  if (!isPublicUrl(String(url))) throw new Error('the address of the document is not public');
  const sent = request(url, {
    ...{ agent: false, lookup: lookUpPublic, signal },
    headers: Object.fromEntries(new Headers(headers)),
  }).end();
  sent.on('error', () => {}); // the caller gets it from the response or its body
  // A server that switches protocols never sends a response.
  const [answer] = (await once(sent, 'response', { signal })) as [IncomingMessage];
  const body = Readable.toWeb(answer) as ReadableStream; // the same class under two types
  return new Response(body, { status: answer.statusCode ?? 0, headers: headersOf(answer) });
};

const headersOf = ({ headers }: IncomingMessage) => ({ 'cache-control': headers['cache-control'] ?? '' });

/** The document as the library takes it: with what it needs, and for a client without a secret. */
export const createFetchDocument =
  (fetchRaw: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetchRaw(url, { ...init, redirect: 'manual' });
    if (response.status !== 200) return response;
    const document: unknown = JSON.parse(await readText(response));
    if (typeof document !== 'object' || document === null) return Response.json(null);
    const { client_id, token_endpoint_auth_method: _, ...metadata } = document as Record<string, unknown>;
    const accepted = { ...acceptMetadata(metadata), client_id, token_endpoint_auth_method: 'none' };
    const cacheControl = response.headers.get('cache-control');
    return Response.json(accepted, { headers: cacheControl ? { 'cache-control': cacheControl } : {} });
  };

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > documentBytesMax) throw new Error('the document is too long');
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
