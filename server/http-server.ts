/** The HTTP server under the app: what never becomes a request for Koa is answered in the envelope too. */
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { envelope } from '../bridge/envelope.ts';
import { badRequest } from '../routers/errors.ts';

/** Time a client has to send its headers, and then the whole request. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;

export function createHttpServer(listener: RequestListener): Server {
  // A missing Host header is no reason for Node's empty 400: nothing here depends on the host.
  const server = createServer(
    { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, requireHostHeader: false },
    listener,
  );
  server.on('clientError', answerClientError);
  // Expect headers other than 100-continue ask for nothing we do; RFC 9110 lets a server ignore them.
  server.on('checkExpectation', listener);
  return server;
}

const reasons: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
};

/** Bytes that are not HTTP, headers without end, a request that never arrives: 400 and good-bye. */
function answerClientError(failure: NodeJS.ErrnoException, socket: Duplex): void {
  if (failure.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { body } = envelope(badRequest(reasons[failure.code ?? ''] ?? 'The request is not valid HTTP'));
  const text = JSON.stringify(body);
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${randomUUID()}`,
      'Connection: close',
      '',
      text,
    ].join('\r\n'),
  );
}
