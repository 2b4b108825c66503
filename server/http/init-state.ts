/** Gives a request its initial state, and an id, which its response and its log lines carry. */
import { randomFillSync } from 'node:crypto';
import { baseUrlOf } from '../../bridge/http/base-url.ts';
import { toErrorResponse } from '../../bridge/http/error-response.ts';
import { headerOf, type Middleware, type RequestContext } from '../../bridge/http/request-state.ts';
import { badRequest } from '../../routers/errors.ts';
import { maskSecrets } from '../../routers/mask-secrets.ts';
import { clientAddress } from './client.ts';

/** What speaks for a request that belongs to no mount. */
const defaultProtocol = { name: 'rest', formatError: toErrorResponse } as const;

/** @param publicUrl the configured base URL, which wins over the one that the request names */
export function createInitState(publicUrl: string | undefined): Middleware {
  const draw = createDraw();
  return function initState(ctx, next) {
    const requestId = sentRequestId(ctx) ?? draw();
    ctx.state = {
      requestId,
      method: ctx.req.method ?? '',
      path: ctx.path,
      address: clientAddress(ctx.ip),
      protocol: defaultProtocol,
      exchange: null,
      baseUrl: () => publicUrl ?? baseUrlOf(ctx),
      caller: null,
      keyRefusal: 'missing',
      knownKey: null,
      knownGrant: null,
      session: null,
      browser: null,
      auditedUserId: undefined,
      calls: [],
      authenticate: null,
      receiveBody: () => Promise.reject(badRequest('No body is read here')),
      releaseBody: null,
      headers: { 'X-Request-Id': requestId },
      contentType: 'application/json; charset=utf-8',
      json: null,
    };
    return next();
  };
}

const safe = /^[\w.:-]{1,128}$/;

/** The request's own id, if it is safe to log. */
function sentRequestId(ctx: RequestContext): string | null {
  const sent = headerOf(ctx, 'x-request-id');
  return safe.test(sent) && maskSecrets(sent) === sent ? sent : null;
}

const idBytes = 16;

/** Random ids of 32 hex digits, like trace ids, from bytes drawn for many at once: formatting a UUID costs more than drawing it. */
function createDraw(): () => string {
  const drawn = Buffer.alloc(idBytes * 256);
  let at = drawn.length;
  return function draw() {
    if (at === drawn.length) {
      randomFillSync(drawn);
      at = 0;
    }
    at += idBytes;
    return drawn.toString('hex', at - idBytes, at);
  };
}
