/** `/` is no part of the API, but where somebody begins who types the address into a browser: they are shown the docs. */
import type { Middleware } from '../../bridge/request-state.ts';

export function createFrontDoor(docsPath: string): Middleware {
  return async function frontDoor(ctx, next) {
    ctx.vary('Accept');
    // Programs that take anything are programs: only who would rather have a page than JSON is a browser.
    if (ctx.state.method !== 'GET' || ctx.accepts('json', 'html') !== 'html') return next();
    ctx.redirect(docsPath);
  };
}
