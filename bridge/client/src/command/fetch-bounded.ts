/** Reads a response of a host whole, but only so much and so long of it. */
import { GamehostError } from '../errors.ts';

const bytesMax = 8 * 1024 * 1024;
const readMsMax = 15_000;

/** @throws {GamehostError} when the host is away, or its response is too long */
export async function fetchBounded(url: string | URL, init: RequestInit = {}): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(readMsMax);
    // A redirection could lead to another host.
    const response = await fetch(url, { signal, ...init, redirect: 'manual' });
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > bytesMax) throw new Error('the response is too long');
      parts.push(part);
    }
    return new Response(length === 0 ? null : await new Blob(parts as BlobPart[]).arrayBuffer(), response);
  } catch (cause) {
    const { host } = new URL(url);
    throw new GamehostError({ code: 'connection_failed', message: `${host} could not be reached`, cause });
  }
}
