/** The HTTP server under the app: what never becomes a request for Koa is answered in the envelope too. */
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { envelope } from '../bridge/envelope.ts';
import { ApiError, badRequest } from '../routers/errors.ts';

/** Time a client has to send its headers, and then the whole request; and how often it is looked after. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** Time in which nothing is sent or read, after which a connection is given up; longer than any call takes. */
const readerPatienceMs = 60_000;

/**
 * How long a connection may rest between two requests: longer than a proxy or balancer keeps it (a minute, mostly), so
 * that it is they who close it, and never just as a request is on its way.
 */
const keepAliveTimeout = 75_000;

/** @param patience other timeouts, in milliseconds */
export function createHttpServer(listener: RequestListener, patience: Partial<typeof timeouts> = {}): Server {
  // A missing Host header is no reason for Node's empty 400: nothing here depends on the host.
  const server = createServer(
    { ...timeouts, ...patience, keepAliveTimeout, requireHostHeader: false },
    listener,
  );
  server.setTimeout(readerPatienceMs);
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (req, res) => answers.set(req.socket, res));
  server.on('clientError', (failure, socket) => answerClientError(failure, socket, answers.get(socket)));
  server.on('connect', answerConnect);
  // Expect headers other than 100-continue ask for nothing we do; RFC 9110 lets a server ignore them.
  server.on('checkExpectation', listener);
  return server;
}

const reasons: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
};

/** Bytes that are not HTTP, headers without end, a request that never arrives: 400 and good-bye. */
function answerClientError(failure: NodeJS.ErrnoException, socket: Duplex, latest?: ServerResponse): void {
  // The rest of a request that has its answer is missing: a second answer would be taken for that to the next one.
  const isAnswered = latest?.headersSent && !latest.req.complete;
  if (failure.code === 'ECONNRESET' || !socket.writable || isAnswered) return void socket.destroy();
  // Whatever follows a whole request is not to become its answer, which is still under way.
  if (latest?.req.complete && !latest.writableEnded) return void latest.once('finish', () => socket.end());
  lastWords(socket, badRequest(reasons[failure.code ?? ''] ?? 'The request is not valid HTTP'));
}

/** CONNECT asks for a tunnel and never becomes a request: without an answer of ours the connection just breaks. */
function answerConnect(_req: IncomingMessage, socket: Duplex): void {
  const headers = { Allow: 'GET, HEAD, POST, OPTIONS' };
  lastWords(socket, new ApiError('method_not_allowed', 'CONNECT is not offered here', { headers }));
}

/** Answers on the bare socket and closes it. */
function lastWords(socket: Duplex, refusal: ApiError): void {
  const { status, headers, body } = envelope(refusal);
  const text = JSON.stringify(body);
  const allHeaders = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Request-Id': randomUUID(),
    ...headers,
    Connection: 'close',
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'));
}
