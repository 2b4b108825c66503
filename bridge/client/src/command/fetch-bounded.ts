/** Reads a response of a host whole, but only so much and so long of it. */
import { exchange } from '../exchange.ts';

const bytesMax = 8 * 1024 * 1024;
const timeoutMs = 10_000;

/** @throws {GamehostError} when the host is away, or its response is too long or takes too long */
export async function fetchBounded(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const { response, text } = await exchange(fetchStart, { ...init, url: String(url) }, { timeoutMs });
  return new Response(text || null, response);
}

const fetchStart: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      length += part.length;
      if (length > bytesMax) throw new Error('the response is too long');
      controller.enqueue(part);
    },
  });
  return new Response(response.body?.pipeThrough(limit), response);
};
