/** The HTTP server under the app. What never becomes a request for Koa gets an error response of the contract too. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { toErrorResponse } from '../../bridge/protocol.ts';
import { headFieldsMax, pipelinedRequestsMax } from '../../models/bounds.ts';
import { ApiError, badRequest } from '../../routers/errors.ts';
import { BoundedRequest } from '../limit/bounded-request.ts';
import type { Readiness } from '../observability/health.ts';

/** Time a client has to send its headers, and then the whole request; and how often that is checked. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** Time without any traffic after which a connection is closed; longer than any call takes. */
const idleTimeoutMs = 60_000;

/**
 * How long a connection may be idle between two requests: longer than proxies and balancers keep it (mostly a minute), so
 * that they close it, and never while a request is on its way.
 */
const keepAliveTimeout = 75_000;

/** @param overrides other timeouts, in milliseconds */
export function createHttpServer(
  listener: RequestListener,
  overrides: Partial<typeof timeouts> = {},
): Server {
  const connections = new WeakMap<Duplex, Connection>();
  // Node would answer a missing Host header with an empty 400, and nothing here depends on the host.
  const server = createServer(
    {
      ...timeouts,
      ...overrides,
      keepAliveTimeout,
      requireHostHeader: false,
      IncomingMessage: BoundedRequest,
    },
    (req, res) => {
      if (admitPipelinedRequest(connections, req, res)) listener(req, res);
    },
  );
  server.maxHeadersCount = 2 * headFieldsMax; // the pipeline refuses more than half of it; Node keeps no more, or refuses them
  server.setTimeout(idleTimeoutMs);
  server.on('clientError', (failure, socket) =>
    answerClientError(failure, socket, connections.get(socket)?.latest),
  );
  server.on('connect', (_req, socket) => answerConnect(socket, connections.get(socket)?.latest));
  // Expect headers other than 100-continue ask for nothing we do; RFC 9110 lets a server ignore them.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  return server;
}

interface Connection {
  latest: ServerResponse;
  /** How many of its requests have no complete response yet. */
  unanswered: number;
}

/** Counts a request of its connection, which is closed when its client sends too many without reading their responses. */
function admitPipelinedRequest(
  connections: WeakMap<Duplex, Connection>,
  { socket }: IncomingMessage,
  res: ServerResponse,
): boolean {
  const connection = connections.get(socket) ?? { latest: res, unanswered: 0 };
  if (connection.unanswered === 0) connections.set(socket, connection);
  connection.latest = res;
  connection.unanswered += 1;
  res.once('close', () => {
    connection.unanswered -= 1;
  });
  if (connection.unanswered <= pipelinedRequestsMax) return true;
  socket.destroy();
  return false;
}

const reasons: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
};

/** Bytes that are not HTTP, headers that are too large, a request that never arrives: 400, and the connection closes. */
function answerClientError(failure: NodeJS.ErrnoException, socket: Duplex, latest?: ServerResponse): void {
  // Browsers open connections before they need them; they would take what comes first for the response to a request.
  const isUnused = socket instanceof Socket && socket.bytesRead === 0;
  // The rest of an answered request is missing: a second response would be taken for that to the next request.
  const isAnswered = latest?.headersSent && !latest.req.complete;
  if (failure.code === 'ECONNRESET' || !socket.writable || isUnused || isAnswered)
    return void socket.destroy();
  // Bytes after a complete request must not become its response, which is still to come.
  if (latest?.req.complete && !latest.writableEnded) return void latest.once('finish', () => close(socket));
  refuseOnSocket(socket, badRequest(reasons[failure.code ?? ''] ?? 'The request is not valid HTTP'));
}

/** How long a client may keep its side of a connection open after our last bytes. */
const lingerMs = 2000;

/** @param last the last bytes to send */
function close(socket: Duplex, last = ''): void {
  socket.end(last);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/**
 * CONNECT asks for a tunnel and never becomes a request: without a response of ours the connection just breaks. Node leaves
 * the socket to us without a listener for its errors, and an unhandled error ends the process.
 */
function answerConnect(socket: Duplex, latest?: ServerResponse): void {
  socket.on('error', () => socket.destroy());
  // The response to the request before it must come first.
  if (latest && !latest.writableFinished) return void latest.once('finish', () => answerConnect(socket));
  const headers = { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' };
  refuseOnSocket(socket, new ApiError('method_not_allowed', 'CONNECT is not offered here', { headers }));
}

/** Responds on the bare socket and closes it. */
function refuseOnSocket(socket: Duplex, refusal: ApiError): void {
  const { status, headers, body } = toErrorResponse(refusal);
  const text = JSON.stringify(body);
  const allHeaders = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': randomUUID(),
    ...headers,
    Connection: 'close',
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`);
  close(socket, [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'));
}

/**
 * For balancers to look again, and for kept connections to be used once more: closing those loses what is on its way. It takes
 * longer while requests come, as a balancer that was busy keeps many.
 */
const drainWait = { quietMs: 1000, mostMs: 4000 };

/** How long requests in progress may take to end; those that will not are cut off. */
const graceMs = 10_000;

/**
 * Stops the HTTP server without dropping a request: it reports not ready, closes every connection with its next response,
 * and only then stops accepting new ones.
 */
export async function drain(server: Server, readiness: Readiness): Promise<void> {
  readiness.stop();
  const connections = await promisify(server.getConnections).call(server);
  if (connections > 0) await untilQuiet(server);
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}

async function untilQuiet(server: Server): Promise<void> {
  const begunAt = performance.now();
  let latestAt = begunAt;
  server.on('request', () => {
    latestAt = performance.now();
  });
  const { quietMs, mostMs } = drainWait;
  const isOver = (now: number) => now - latestAt >= quietMs || now - begunAt >= mostMs;
  while (!isOver(performance.now())) await delay(100);
}
