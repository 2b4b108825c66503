/** The body of a response given to its reader as it arrives, so that no more of it is held than the reader keeps. */
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'got';
import { PanelFailure } from './failures.ts';

/** A response as it came. */
export interface RawResponse {
  statusCode: number;
  headers: IncomingHttpHeaders;
  rawBody: Uint8Array;
  url: string;
}

/** Takes the body of a response of status 200, or 206 of a range; what it throws ends the call. */
export interface BodySink {
  /** What is asked for, as the header `Range`: the other side may know nothing of it. */
  range?: string | undefined;
  begin(headers: IncomingHttpHeaders): void;
  /** Returns false where no more is wanted. */
  write(chunk: Buffer): boolean;
}

/** A refusal is read whole; a panel's is a few hundred bytes. */
const refusalBytesMax = 256 * 1024;

/** @throws {PanelFailure} for a refusal that is too long, and got's errors */
export async function readStream(stream: Request, sink: BodySink): Promise<RawResponse> {
  try {
    const [{ statusCode, headers, url }] = await once(stream, 'response');
    const isBody = statusCode === 200 || statusCode === 206;
    const rawBody = isBody ? await fill(sink, stream, headers) : await readRefusal(stream);
    return { statusCode, headers, rawBody, url };
  } finally {
    stream.destroy();
  }
}

async function fill(sink: BodySink, stream: Request, headers: IncomingHttpHeaders) {
  sink.begin(headers);
  for await (const chunk of stream) if (!sink.write(chunk)) break;
  return Buffer.alloc(0);
}

async function readRefusal(stream: Request) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > refusalBytesMax) throw new PanelFailure('malformed', { reason: 'the response is too long' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
