/** Gives every request an id, which every answer and every log line carries. A sane incoming one is kept. */
import { randomUUID } from 'node:crypto';
import type { Middleware } from '../../bridge/request-state.ts';

const sane = /^[\w.:-]{1,128}$/;

export function createRequestId(): Middleware {
  return function requestId(ctx, next) {
    const incoming = ctx.get('X-Request-Id');
    ctx.state.requestId = sane.test(incoming) ? incoming : randomUUID();
    ctx.state.headers['X-Request-Id'] = ctx.state.requestId;
    return next();
  };
}
