/** Reads what a node offers under a link that the panel has signed. The link works once; it is not logged. */
import { got, RequestError } from 'got';
import type { LocatedServer } from '../../routers/panel-port.ts';
import { PanelFailure } from './failures.ts';
import { type BodySink, readStream } from './http-stream.ts';
import { lookUpNode, parseNodeAddress } from './node-address.ts';
import { NodeGate } from './node-gate.ts';
import type { PanelSettings } from './options.ts';
import { callOfNode } from './panel-call.ts';

/** At once, per process, and of one customer. They take no worker of the panel. */
const downloadsMax = { total: 4, ofOwner: 2 };

/** To know whether something can be had: neither a node nor a store answers HEAD to a link that was signed for GET. */
export const beginningOnly: BodySink = { range: 'bytes=0-0', begin() {}, write: () => false };

export type Download = ReturnType<typeof createDownload>;

export function createDownload(settings: PanelSettings) {
  const gate = new NodeGate(downloadsMax, settings);
  const client = got.extend({
    headers: { 'accept-encoding': 'identity', 'user-agent': 'gamehost' },
    ...{ decompress: false, followRedirect: false, throwHttpErrors: false, retry: { limit: 0 } },
    timeout: { request: settings.fileWaitMs },
    // The types of got do not know that Node's own look-up does as well as cacheable-lookup's.
    dnsLookup: lookUpNode as never,
  });

  async function download(url: string, sink: BodySink): Promise<void> {
    const headers = sink.range === undefined ? {} : { range: sink.range };
    const address = parseNodeAddress(url, [settings.url, settings.ownAddress.forBrowsers()], 'http');
    const { statusCode } = await readStream(client.stream(address, { headers }), sink).catch(
      (error: unknown) => {
        // Its words may hold the link.
        throw error instanceof RequestError ? nodeFailed({ transportCode: error.code }) : error;
      },
    );
    const isBody = statusCode === 200 || (statusCode === 206 && sink.range !== undefined);
    if (!isBody) throw nodeFailed({ status: statusCode });
  }

  /** @throws {PanelFailure} `node` where nothing, or not all, could be read, and what the sink throws */
  return (server: LocatedServer, url: string, sink: BodySink): Promise<void> =>
    gate.run(callOfNode(server, 'download'), () => download(url, sink));
}

const nodeFailed = (details: object) =>
  new PanelFailure('node', { ...details, reason: 'a download from a node failed' });
