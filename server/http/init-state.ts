/** Gives a request its initial state. */
import { baseUrlOf } from '../../bridge/http/base-url.ts';
import { toErrorResponse } from '../../bridge/http/error-response.ts';
import type { Middleware } from '../../bridge/http/request-state.ts';
import { badRequest } from '../../routers/errors.ts';
import { clientAddress } from './client-address.ts';

/** What speaks for a request that belongs to no mount. */
const defaultProtocol = { name: 'rest', formatError: toErrorResponse } as const;

/** @param publicUrl the configured base URL, which wins over the one that the request names */
export function createInitState(publicUrl: string | undefined): Middleware {
  return function initState(ctx, next) {
    ctx.state = {
      requestId: '',
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
      headers: {},
      contentType: 'application/json; charset=utf-8',
      json: null,
    };
    return next();
  };
}
