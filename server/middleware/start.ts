/** Gives a request its empty state: nobody calls yet, and nothing has been called. */
import { envelope } from '../../bridge/envelope.ts';
import type { Middleware } from '../../bridge/request-state.ts';

export function createStart(): Middleware {
  return async function start(ctx, next) {
    Object.assign(ctx.state, {
      requestId: '',
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
      envelope,
    } satisfies typeof ctx.state);
    await next();
  };
}
