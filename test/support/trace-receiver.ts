/** A collector of traces as OTLP/HTTP has it: accepts exports in JSON or protobuf and returns their spans. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { eventually } from './eventually.ts';

/** A span as the protocol's JSON has it, its attributes as one object. */
interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  /** 2 is an error. */
  status: { code: number };
  attributes: Record<string, unknown>;
}

/** @param answer its reaction to an export; by default it accepts */
export async function startTraceReceiver(answer = accept) {
  const exports: { path: string; type: string; body: Buffer }[] = [];
  const server = createServer(async (req, res) => {
    exports.push({ path: req.url ?? '', type: req.headers['content-type'] ?? '', body: await buffer(req) });
    answer(res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spans = () => exports.flatMap(({ body }) => spansOf(JSON.parse(body.toString())));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a listening TCP server has a port
    exports,
    spans,
    /** Resolves to a request's server span and its children, once all have arrived. */
    async trace(requestId: string) {
      const root = await eventually(async () => {
        const found = spans().find(({ attributes }) => attributes['gamehost.request_id'] === requestId);
        expect(found, `a span of request ${requestId}`).to.not.equal(undefined);
        return found as ReceivedSpan; // checked on the line above
      });
      const { traceId, spanId } = root;
      return { root, others: spans().filter((span) => span.traceId === traceId && span.spanId !== spanId) };
    },
    text: () => exports.map(({ body }) => body.toString()).join('\n'),
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const accept = (res: ServerResponse) =>
  void res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');

interface Export {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

type SentSpan = Omit<ReceivedSpan, 'attributes'> & { attributes: Attribute[] };

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number; arrayValue?: { values: Attribute['value'][] } };
}

/** The resource's attributes are given to each of its spans. */
const spansOf = ({ resourceSpans }: Export): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, attributes: readValues([...resource.attributes, ...span.attributes]) })),
  );

const readValues = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));

const readValue = ({ stringValue, intValue, arrayValue }: Attribute['value']): unknown =>
  stringValue ?? intValue ?? arrayValue?.values.map(readValue);
