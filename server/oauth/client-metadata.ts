/**
 * Reduces an app's metadata, from its registration or its document, to the fields that the authorization server needs, and
 * bounds them. An app on the user's device gets the type `native`, which lets it choose its port.
 */
import { hash } from 'node:crypto';
import {
  appDocumentBytesMax,
  appKeysMax,
  exponentLengthMax,
  nameLengthMax,
  redirectLengthMax,
  redirectsMax,
  visitorBodyBytesMax,
} from '../../models/bounds.ts';
import { badRequest } from '../../routers/errors.ts';
import { cleanText } from '../../routers/schemas/text.ts';
import { isLoopback } from '../loopback.ts';
import { isDocumentUrl, lookUpPublic } from '../outbound/addresses.ts';
import { fetchOutbound } from '../outbound/fetch.ts';

type Metadata = Record<string, unknown>;

export function acceptMetadata({
  redirect_uris,
  client_name,
  token_endpoint_auth_method: method,
  ...metadata
}: Metadata): Metadata {
  const redirects = acceptRedirects(redirect_uris);
  return {
    redirect_uris: redirects,
    application_type: redirects.some(usesAppOnDevice) ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    response_modes: ['query'],
    ...(isGiven(client_name) && { client_name: nameOf(client_name) }),
    ...(typeof method === 'string' && { token_endpoint_auth_method: method }),
    ...(method === 'private_key_jwt' && {
      ...keysOf(metadata),
      ...pick(metadata, 'token_endpoint_auth_signing_alg'),
    }),
  };
}

/** Some clients send null for a missing field. */
const isGiven = (value: unknown) => value !== undefined && value !== null;

const pick = (metadata: Metadata, name: string) => isGiven(metadata[name]) && { [name]: metadata[name] };

/** The address of an app's keys, or the keys themselves. If the app sends both, the address is used. */
function keysOf(metadata: Metadata): Metadata {
  const keys = pick(metadata, 'jwks_uri') || pick(metadata, 'jwks') || {};
  if (JSON.stringify(keys).length > appDocumentBytesMax)
    throw badRequest('jwks must be at most 5 KiB; send the address of longer keys in jwks_uri');
  return keys;
}

/**
 * The client_id of an app without a secret. The same registration always gets the same id, because agents register again and
 * again. Null for an app with a secret: it needs a new secret each time, because a secret is shown only once.
 */
export const clientIdOf = (metadata: Metadata): string | null =>
  metadata['token_endpoint_auth_method'] === 'none'
    ? hash('sha256', JSON.stringify(metadata), 'base64url')
    : null;

export const isOfDocument = (clientId: string) => clientId.startsWith('https://');

/** Schemes of known apps that receive codes, in addition to the schemes based on a domain (RFC 8252, section 7.1). */
const knownAppScheme =
  /^(claude|code-oss|cursor|jetbrains|kiro|raycast|trae|vscode(-insiders)?|vscodium|warp|windsurf(-next)?|zed):$/;

/** Matches schemes such as `com.example.app:`, but not the schemes of operating systems. */
const domainScheme = /^(?!microsoft\.|x-apple\.|ms-)[a-z][a-z0-9+-]*(\.[a-z0-9][a-z0-9+-]*)+:$/;

/** Any other scheme belongs to the browser, or would start a program with input from the app. */
const isAppScheme = (protocol: string) => knownAppScheme.test(protocol) || domainScheme.test(protocol);

function acceptRedirects(redirects: unknown): string[] {
  if (!Array.isArray(redirects) || redirects.length === 0)
    throw badRequest('redirect_uris must contain members');
  if (redirects.length > redirectsMax)
    throw badRequest(`redirect_uris must have at most ${redirectsMax} members`);
  return redirects.map(acceptRedirect);
}

function acceptRedirect(redirect: unknown): string {
  if (typeof redirect !== 'string' || redirect.length > redirectLengthMax || !URL.canParse(redirect))
    throw badRequest('redirect_uris must only contain valid uris');
  const url = new URL(redirect);
  if (url.protocol === 'http:' && !isLoopback(url))
    throw badRequest('redirect_uris must use https outside of the loopback interface');
  if (!/^https?:$/.test(url.protocol) && !isAppScheme(url.protocol))
    throw badRequest(`redirect_uris must use https, loopback or a scheme with a dot, not ${url.protocol}`);
  if (url.username || url.password) throw badRequest('redirect_uris must not have credentials');
  return withPath(redirect);
}

/** An empty path and `/` are the same address. */
export const withPath = (redirect: string) => redirect.replace(/^(https?:\/\/[^/?#]+)(?=[?#]|$)/i, '$1/');

const usesAppOnDevice = (redirect: string) => new URL(redirect).protocol !== 'https:';

export const isLoopbackRedirect = (redirect: string) => new URL(redirect).protocol === 'http:';

const nameOf = (name: unknown) => {
  if (typeof name !== 'string') throw badRequest('client_name must be a string');
  const shown = cleanText(name.toWellFormed()).replace(/\s+/g, ' ').trim();
  return [...shown].slice(0, nameLengthMax).join('') || 'Unnamed app';
};

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Fetches metadata documents of apps, from public addresses only: the app's client_id is the address
 * (draft-ietf-oauth-client-id-metadata-document). The authorization server's library calls it as `fetch`, and aborts after
 * 2.5 s.
 */
export const fetchPublic: Fetch = async (url, { signal, headers } = {}) => {
  if (!signal) throw new Error('the request has no abort signal');
  if (!isDocumentUrl(String(url))) throw new Error('the address of the document is not public');
  const { status, body, isWhole, ...response } = await fetchOutbound(new URL(url), {
    lookup: lookUpPublic,
    signal,
    bytesMax: visitorBodyBytesMax,
    headers: Object.fromEntries(new Headers(headers)),
  });
  if (!isWhole) throw new Error('the document is too long or incomplete');
  const cached = { 'cache-control': response.headers['cache-control'] ?? '' };
  return new Response(Uint8Array.from(body), { status, headers: cached });
};

function acceptKeys(keys: unknown): unknown[] {
  if (!Array.isArray(keys) || keys.length > appKeysMax)
    throw new Error(`the document must have at most ${appKeysMax} keys`);
  if (keys.some((key) => String(key?.e ?? '').length > exponentLengthMax))
    throw new Error('a key has a long public exponent');
  return keys;
}

export const createFetchDocument =
  (fetchRaw: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetchRaw(url, { ...init, redirect: 'manual' });
    if (response.status !== 200) return response;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
    const document: unknown = JSON.parse(text);
    if (typeof document !== 'object' || document === null) return Response.json(null);
    const cacheControl = response.headers.get('cache-control');
    const cached = { headers: cacheControl ? { 'cache-control': cacheControl } : {} };
    if ('keys' in document) return Response.json({ keys: acceptKeys(document.keys) }, cached);
    if (text.length > appDocumentBytesMax) throw new Error('the document is too long');
    return Response.json(acceptDocument(document as Metadata), cached);
  };

/** A document holds no secret, so its app has a key or does not authenticate. An app that offers both may do either. */
function acceptDocument({ client_id, token_endpoint_auth_method: named, ...metadata }: Metadata): Metadata {
  const methods = [named, metadata['token_endpoint_auth_methods_supported']].flat();
  const isKeyed = methods.includes('private_key_jwt');
  const method = isKeyed && !methods.includes('none') ? 'private_key_jwt' : 'none';
  const accepted = acceptMetadata({ ...metadata, token_endpoint_auth_method: method });
  return { ...accepted, ...(isKeyed && keysOf(metadata)), client_id };
}
