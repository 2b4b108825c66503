/** Downloads by links that the panel has signed. Anyone can use a link once, so links are never cached or logged. */
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { got, RequestError } from 'got';
import { z } from 'zod';
import type { OwnedServer, PanelLink } from '../../routers/panel-port.ts';
import { PanelFailure } from './failures.ts';
import { lookUpNode, parseNodeAddress } from './node-address.ts';
import { NodeGate } from './node-gate.ts';
import { readClaims } from './panel-address.ts';
import { parseBody } from './panel-api.ts';
import { callOfNode } from './panel-call.ts';
import type { PanelSettings } from './settings.ts';

/** Receives a body. An error that it throws ends the download. */
export interface BodySink {
  /** Sent as the header `Range`, which the node or the S3 store may not support. */
  range?: string | undefined;
  timeoutMs?: number;
  begin(headers: IncomingHttpHeaders): void;
  write(chunk: Buffer): boolean;
}

/** Downloads take no worker of the panel. */
const downloadsMax = { total: 4, ofOwner: 2 };

/** Tests whether a download is possible: neither a node nor a store answers HEAD to a link that was signed for GET. */
export const firstByteSink: BodySink = { range: 'bytes=0-0', begin() {}, write: () => false };

export type Download = ReturnType<typeof createDownload>;

export function createDownload(settings: PanelSettings) {
  const gate = new NodeGate(downloadsMax, settings);
  const client = got.extend({
    headers: { 'accept-encoding': 'identity', 'user-agent': 'gamehost' },
    decompress: false,
    followRedirect: false,
    throwHttpErrors: false,
    retry: { limit: 0 },
    // got's types require the look-up of cacheable-lookup, but Node's own works as well.
    dnsLookup: lookUpNode as never,
  });

  async function download(url: string, sink: BodySink): Promise<void> {
    const headers = sink.range === undefined ? {} : { range: sink.range };
    const address = requireNodeAddress(url, settings);
    const stream = client.stream(address, {
      headers,
      timeout: { request: sink.timeoutMs ?? settings.fileWaitMs },
    });
    // A node that sends more than it announced causes an error after the last byte, which would end the process.
    stream.on('error', () => {});
    try {
      const [{ statusCode: status, headers: sent }] = await once(stream, 'response');
      if (status !== 200 && !(status === 206 && sink.range !== undefined)) throw nodeFailed({ status });
      sink.begin(sent);
      for await (const chunk of stream) if (!sink.write(chunk)) break;
    } catch (error) {
      // The error's message may contain the link.
      throw error instanceof RequestError ? nodeFailed({ transportCode: error.code }) : error;
    } finally {
      stream.destroy();
    }
  }

  return (server: OwnedServer, url: string, sink: BodySink): Promise<void> =>
    gate.run(callOfNode(server, 'download'), () => download(url, sink));
}

const nodeFailed = (details: object) =>
  new PanelFailure('node', { ...details, reason: 'a download from a node failed' });

export const requireNodeAddress = (url: string, settings: PanelSettings): URL =>
  parseNodeAddress(url, [settings.url, settings.panelAddress.forBrowsers()], 'http');

const SignedUrl = z.object({ attributes: z.object({ url: z.url({ protocol: /^https?$/ }) }) });

/** How long a link to a node is valid. Links to an S3 store expire sooner. */
const linkLifetimeMs = 15 * 60_000;

export function parseSignedLink(body: unknown, now: number): PanelLink {
  const { url } = parseBody(SignedUrl, body).attributes;
  return { url, expiresAt: readExpiry(new URL(url).searchParams) ?? now + linkLifetimeMs };
}

const Expiring = z.object({ exp: z.number() });

function readExpiry(query: URLSearchParams): number | null {
  // The `exp` of a node's token is in seconds, perhaps with a fraction.
  const { exp } = readClaims(query.get('token') ?? '', Expiring) ?? {};
  const lifetimeSeconds = Number(query.get('X-Amz-Expires') ?? Number.NaN);
  const expiry = exp === undefined ? readAmzDate(query) + lifetimeSeconds * 1000 : Math.ceil(exp) * 1000;
  return Number.isSafeInteger(expiry) ? expiry : null;
}

/** When the link to an S3 store was signed, such as 20260501T120000Z. */
const readAmzDate = (query: URLSearchParams) =>
  Date.parse(
    (query.get('X-Amz-Date') ?? '').replace(
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
      '$1-$2-$3T$4:$5:$6Z',
    ),
  );
