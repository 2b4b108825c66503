/** Gives every request an id, which its response and its log lines carry. An incoming one is kept if it is safe to log. */
import { randomFillSync } from 'node:crypto';
import { headerOf, type Middleware } from '../../bridge/http/request-state.ts';
import { maskSecrets } from '../../routers/mask-secrets.ts';

const safe = /^[\w.:-]{1,128}$/;

export function createRequestId(): Middleware {
  const draw = createDraw();
  return function requestId(ctx, next) {
    const incoming = headerOf(ctx, 'x-request-id');
    const id = safe.test(incoming) && maskSecrets(incoming) === incoming ? incoming : draw();
    ctx.state.requestId = id;
    ctx.state.headers['X-Request-Id'] = id;
    return next();
  };
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
