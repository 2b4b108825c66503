/**
 * One attempt to deliver: a POST to an address that was checked, within its time, without redirects and cookies. How it ended
 * is a value, which says nothing of the network or of the receiver.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import type { AttemptError } from '../../models/webhook/schema.ts';
import { ForbiddenAddressError } from '../public-address.ts';
import type { AddressRules } from './addresses.ts';

export interface PostResult {
  status: number | null;
  error: AttemptError | null;
  durationMs: number;
  /** The number by which an error in Discord's form says what it is. */
  discordCode?: number;
  /** How long the receiver wants to be left alone. */
  retryAfterMs: number | null;
  /** Whether the request may have arrived though there was no response. */
  isUncertain: boolean;
}

interface Post {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** More of a response is not read. */
const responseBytesMax = 4 * 1024;
const dayMs = 86_400_000;
/** A receiver that sends more of them, each of which costs time, is left. */
const interimResponsesMax = 8;
/** As many as one webhook uses at once. */
const freeSocketsPerHostMax = 8;

export type PostFn = (post: Post) => Promise<PostResult>;

/**
 * Sockets are kept for the next delivery to the same host; they were checked when they were connected. Their number has no
 * bound of its own: at a host that many customers use, a slow webhook of one would take the sockets of the others.
 */
export function createPost(rules: AddressRules, timeoutMs: number) {
  const options = { keepAlive: true, maxFreeSockets: freeSocketsPerHostMax, timeout: timeoutMs };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const post: PostFn = async (wanted) => {
    const startedAt = performance.now();
    const progress = { isSent: false };
    const outcome = await send(wanted, { rules, agents, timeoutMs, progress }).catch((failure: unknown) => ({
      ...{ status: null, error: errorOf(failure), retryAfterMs: null },
      isUncertain: progress.isSent,
    }));
    return { isUncertain: false, ...outcome, durationMs: Math.round(performance.now() - startedAt) };
  };
  const close = () => {
    agents.http.destroy();
    agents.https.destroy();
  };
  return { post, close };
}

interface SendOptions {
  rules: AddressRules;
  agents: { http: HttpAgent; https: HttpsAgent };
  timeoutMs: number;
  /** Whether the request has left, so that it may have arrived. */
  progress: { isSent: boolean };
}

async function send(
  { url: address, body, headers }: Post,
  { rules, agents, timeoutMs, progress }: SendOptions,
) {
  const url = new URL(address);
  if (!rules.isAllowedUrl(url)) throw new ForbiddenAddressError('the address may not be called');
  const isTls = url.protocol === 'https:';
  const options = {
    ...{ method: 'POST', lookup: rules.lookup(url), signal: AbortSignal.timeout(timeoutMs) },
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'gamehost-webhooks',
    },
  };
  const request = isTls
    ? httpsRequest(url, { ...options, agent: agents.https })
    : httpRequest(url, { ...options, agent: agents.http });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    let interimResponses = 0;
    request.on('response', resolve).on('error', reject);
    request.on('information', () => {
      interimResponses += 1;
      if (interimResponses > interimResponsesMax) request.destroy(new Error('too many interim responses'));
    });
    // The only event when the receiver switches to another protocol.
    request.on('close', () => reject(new Error('closed without a response')));
    request.on('finish', () => {
      progress.isSent = true;
    });
    request.end(body);
  });
  const text = await readStart(response);
  const status = response.statusCode ?? 0;
  const retryAfterMs = retryAfterOf(response, text);
  const [, code] = status >= 400 ? (/"code"\s*:\s*([1-9]\d{0,8})\b/.exec(text) ?? []) : [];
  return { status, error: errorOfStatus(status), retryAfterMs, ...(code && { discordCode: Number(code) }) };
}

/** Reads no more than the start; the connection of a longer response is not used again. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > responseBytesMax) break; // which destroys the response
      chunks.push(chunk as Buffer);
    }
  } catch {
    // The status has arrived, and is what counts.
  }
  return Buffer.concat(chunks).toString('utf8');
}

function errorOfStatus(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'status';
}

function errorOf(failure: unknown): AttemptError {
  if (failure instanceof ForbiddenAddressError) return 'address';
  const { name = '', code = '' } = failure as { name?: string; code?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ETIMEDOUT') return 'timeout';
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(String(code))
    ? 'tls'
    : 'connection';
}

/** Seconds or a date in Retry-After; Discord's `retry_after` and the end of its limit. At most a day. */
function retryAfterOf({ headers, statusCode = 0 }: IncomingMessage, text: string): number | null {
  const header = headers['retry-after'] ?? '';
  const date = Date.parse(header);
  const fromHeader = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : date - Date.now();
  const [, inBody = ''] = statusCode === 429 ? (/"retry_after"\s*:\s*(\d+(?:\.\d+)?)/.exec(text) ?? []) : [];
  const isUsedUp = headers['x-ratelimit-remaining'] === '0';
  const reset = isUsedUp ? Number(headers['x-ratelimit-reset-after']) * 1000 : 0;
  const longest = Math.max(...[fromHeader, Number(inBody) * 1000, reset].filter(Number.isFinite), 0);
  return longest > 0 ? Math.min(longest, dayMs) : null;
}
