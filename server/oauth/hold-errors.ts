/**
 * Shows an error that arises before the user has decided, in place of sending the browser to the app with it: anyone may
 * register an app, and a link to this service would lead to any site (RFC 9700, section 4.11.2). An app on the user's own
 * device gets its error.
 */
import type { Middleware } from '../../bridge/http/request-state.ts';
import { isOfDevice } from './client-metadata.ts';
import { respondErrorPage } from './error-page.ts';

export const holdErrors: Middleware = async function holdErrors(ctx, next) {
  await next();
  const location = ctx.response.get('Location');
  if (!location || location.startsWith('/') || isOfDevice(location)) return;
  const { hash, search } = new URL(location);
  const problem = new URLSearchParams(hash.slice(1) || search);
  ctx.remove('Location');
  ctx.status = 400;
  respondErrorPage(ctx, {
    error: problem.get('error') ?? 'invalid_request',
    error_description: problem.get('error_description') ?? undefined,
  });
};
