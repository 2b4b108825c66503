/** Reads a response of a host whole, but only so much and so long of it. */
import { GamehostError } from '../errors.ts';

const bytesMax = 8 * 1024 * 1024;
const readMsMax = 15_000;

/** @throws {GamehostError} when the host is away, or its response is too long */
export async function fetchBounded(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const { host } = new URL(url);
  try {
    const signal = AbortSignal.timeout(readMsMax);
    // A redirection could lead to another host.
    const response = await fetch(url, { signal, ...init, redirect: 'manual' });
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > bytesMax)
        throw new GamehostError({ code: 'unexpected_response', message: `${host} sent more than 8 MiB` });
      parts.push(part);
    }
    return new Response(length === 0 ? null : await new Blob(parts as BlobPart[]).arrayBuffer(), response);
  } catch (cause) {
    if (cause instanceof GamehostError) throw cause;
    throw new GamehostError({ code: 'connection_failed', message: `${host} could not be reached`, cause });
  }
}
