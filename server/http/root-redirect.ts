/** Redirects for paths where people and tools look first: / leads browsers to the docs, /openapi.json to the description. */
import type { Middleware } from '../../bridge/http/request-state.ts';

export function createRootRedirect(docsPath: string): Middleware {
  return async function rootRedirect(ctx, next) {
    ctx.vary('Accept');
    // Only browsers prefer HTML to JSON; programs accept anything.
    if (ctx.state.method !== 'GET' || ctx.accepts('json', 'html') !== 'html') return next();
    ctx.redirect(docsPath);
  };
}

export function createDescriptionRedirect(descriptionPath: string): Middleware {
  return async function descriptionRedirect(ctx) {
    ctx.status = 301;
    ctx.redirect(descriptionPath + ctx.search);
  };
}
