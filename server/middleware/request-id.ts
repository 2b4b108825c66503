/** Gives every request an id, which every answer and every log line carries. A sane incoming one is kept. */
import { randomFillSync } from 'node:crypto';
import { headerOf, type Middleware } from '../../bridge/request-state.ts';

const sane = /^[\w.:-]{1,128}$/;

export function createRequestId(): Middleware {
  const draw = createDraw();
  return function requestId(ctx, next) {
    const incoming = headerOf(ctx, 'x-request-id');
    const id = sane.test(incoming) ? incoming : draw();
    ctx.state.requestId = id;
    ctx.state.headers['X-Request-Id'] = id;
    return next();
  };
}

const idBytes = 16;

/** Random ids of 32 hex digits, like trace ids, from bytes drawn for many at once: a UUID is dearer to write than to draw. */
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
