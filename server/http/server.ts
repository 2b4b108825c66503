/** The HTTP server under the app. Bytes that never become a request for Koa also get an error in the API's format. */
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

/** How long a client may take to send its headers and the entire request, and how often Node checks this. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** A connection without traffic is closed after this time; every call is shorter. */
const idleTimeoutMs = 60_000;

/**
 * How long a connection may be idle between two requests. Proxies and load balancers close idle connections sooner (mostly
 * after a minute), so we never close one while a request is on its way.
 */
const keepAliveTimeout = 75_000;

/** @param overrides in milliseconds */
export function createHttpServer(
  listener: RequestListener,
  overrides: Partial<typeof timeouts> = {},
): Server {
  const connections = new WeakMap<Duplex, Connection>();
  // Node answers a missing Host header with an empty 400, but nothing here depends on the host.
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
  // The pipeline refuses a request with more than half of this; Node drops or refuses the fields beyond it.
  server.maxHeadersCount = 2 * headFieldsMax;
  server.setTimeout(idleTimeoutMs);
  server.on('clientError', (failure, socket) =>
    answerClientError(failure, socket, connections.get(socket)?.latest),
  );
  server.on('connect', (_req, socket) => answerConnect(socket, connections.get(socket)?.latest));
  // We support only Expect: 100-continue; RFC 9110 lets a server ignore other values.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  return server;
}

interface Connection {
  latest: ServerResponse;
  unanswered: number;
}

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

/** Sends 400 and closes the connection after bytes that are not HTTP, headers that are too large, or a request that is too slow. */
function answerClientError(failure: NodeJS.ErrnoException, socket: Duplex, latest?: ServerResponse): void {
  // Browsers open connections in advance, and would take these bytes for the response to their first request.
  const isUnused = socket instanceof Socket && socket.bytesRead === 0;
  // The request was answered before it was complete. A second response would look like the answer to the next request.
  const isAnswered = latest?.headersSent && !latest.req.complete;
  if (failure.code === 'ECONNRESET' || !socket.writable || isUnused || isAnswered)
    return void socket.destroy();
  // The bytes came after a complete request, whose response must come first.
  if (latest?.req.complete && !latest.writableEnded) return void latest.once('finish', () => close(socket));
  refuseOnSocket(socket, badRequest(reasons[failure.code ?? ''] ?? 'The request is not valid HTTP'));
}

/** How long a client may keep its side open after our last bytes. */
const lingerMs = 2000;

function close(socket: Duplex, last = ''): void {
  socket.end(last);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/**
 * CONNECT never becomes a request, and without this response its connection just breaks. Node hands over the socket without
 * a listener for errors, and an unhandled error would end the process.
 */
function answerConnect(socket: Duplex, latest?: ServerResponse): void {
  socket.on('error', () => socket.destroy());
  // The response to the previous request must come first.
  if (latest && !latest.writableFinished) return void latest.once('finish', () => answerConnect(socket));
  const headers = { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' };
  refuseOnSocket(socket, new ApiError('method_not_allowed', 'CONNECT is not offered here', { headers }));
}

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
 * Time for load balancers to probe again, and for open connections to carry one more request. Closing an idle connection could
 * lose a request on its way. The wait is longer while requests arrive, because a busy balancer has many open connections.
 */
const drainWait = { quietMs: 1000, mostMs: 4000 };

const graceMs = 10_000;

/**
 * Stops the HTTP server without dropping a request. The service reports that it is not ready, closes each connection with its
 * next response, and only then stops accepting connections.
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
