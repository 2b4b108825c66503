/**
 * Sends one request to an address that a caller named: bounded in bytes and time, without redirects and cookies, and
 * only to the address that was checked on connection. `fetch` would look up the host without that check.
 */
import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { interimResponsesMax } from '../../models/bounds.ts';

interface OutboundRequest {
  method?: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  lookup: LookupFunction;
  /** Ends the request and its response. The signal must have a time limit. */
  signal: AbortSignal;
  bytesMax: number;
  /** Without agents, each request opens its own connection. */
  agents?: OutboundAgents;
}

interface OutboundAgents {
  http: HttpAgent;
  https: HttpsAgent;
}

interface OutboundResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** False where the response is too long or broke off. */
  isWhole: boolean;
}

/** The cause says why there was no response, and `isSent` whether the request may have arrived anyway. */
export class NoResponseError extends Error {
  readonly isSent: boolean;

  constructor(cause: unknown, isSent: boolean) {
    super('There was no response', { cause });
    this.isSent = isSent;
  }
}

/** The receiver closed a reused connection, most likely before the request arrived. It may do so at any time. */
class StaleConnectionError extends NoResponseError {}

const closedCodes = ['ECONNRESET', 'EPIPE'];

/** @throws {NoResponseError} */
export async function fetchOutbound(url: URL, wanted: OutboundRequest): Promise<OutboundResponse> {
  try {
    return await fetchOnce(url, wanted);
  } catch (failure) {
    if (!(failure instanceof StaleConnectionError)) throw failure;
    const { agents: _, ...onNewConnection } = wanted;
    return fetchOnce(url, onNewConnection);
  }
}

async function fetchOnce(
  url: URL,
  { agents, body = '', bytesMax, headers, ...options }: OutboundRequest,
): Promise<OutboundResponse> {
  const length = options.method === 'POST' && { 'content-length': Buffer.byteLength(body) };
  const sent = { ...options, headers: { ...headers, ...length } };
  const request =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...sent, agent: agents?.https ?? false })
      : httpRequest(url, { ...sent, agent: agents?.http ?? false });
  let isSent = false;
  let interimResponses = 0;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const fail = (cause: unknown) => {
      const { code = '' } = cause as NodeJS.ErrnoException;
      const isStale = request.reusedSocket && interimResponses === 0 && closedCodes.includes(code);
      reject(new (isStale ? StaleConnectionError : NoResponseError)(cause, isSent));
    };
    request.on('response', resolve).on('error', fail);
    request.on('information', () => {
      interimResponses += 1;
      if (interimResponses > interimResponsesMax) request.destroy(new Error('too many interim responses'));
    });
    // If the server switches to another protocol, this is the only event.
    request.on('close', () => fail(new Error('closed without a response')));
    request.on('finish', () => {
      isSent = true;
    });
    request.end(body);
  });
  const status = response.statusCode ?? 0;
  return { status, headers: response.headers, ...(await readBody(response, bytesMax)) };
}

/** Stops at a response that is too long, and its connection is not reused. */
async function readBody(response: IncomingMessage, bytesMax: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isWhole = true;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      isWhole = bytes <= bytesMax;
      if (!isWhole) break; // leaving the loop destroys the response
      chunks.push(chunk);
    }
  } catch {
    isWhole = false; // the status has arrived anyway
  }
  return { body: Buffer.concat(chunks), isWhole };
}
