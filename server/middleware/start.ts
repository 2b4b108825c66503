/** Gives a request its empty state: nobody calls yet, and nothing has been called. */
import { envelope } from '../../bridge/envelope.ts';
import type { Middleware } from '../../bridge/request-state.ts';

export function createStart(): Middleware {
  return function start(ctx, next) {
    ctx.state = {
      requestId: '',
      method: ctx.req.method ?? '',
      path: ctx.path,
      caller: null,
      keyRefusal: 'missing',
      knownKey: null,
      session: null,
      browser: null,
      via: 'rest',
      address: ctx.ip,
      calls: [],
      waitForClient: (sent) => sent,
      cost: 1,
      headers: {},
      contentType: 'application/json; charset=utf-8',
      json: null,
      envelope,
    };
    return next();
  };
}
