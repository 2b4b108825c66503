/**
 * Lets an answered request go on only in the session that answered it: the browser that began it may be another person's,
 * and its user may have signed out, or been suspended, since.
 */
import type { Middleware, RequestContext } from '../../bridge/http/request-state.ts';
import type { Models } from '../../models/index.ts';
import type { Clock } from '../../routers/ports.ts';
import { createCookie } from '../account/cookie.ts';
import { respondErrorPage } from './error-page.ts';
import { resumedRequestId } from './paths.ts';

interface DeciderParts {
  models: Models;
  clock: Clock;
  issuer: string;
}

export function createRequireDecider({ models, clock, issuer }: DeciderParts): Middleware {
  const isHttps = issuer.startsWith('https:');
  async function isDecider(ctx: RequestContext): Promise<boolean> {
    const now = new Date(clock());
    const request = await models.oauthRequests.find(resumedRequestId(ctx.state.path) ?? '', now);
    const token = createCookie(ctx, { name: 'gamehost_session', isHttps }).value;
    if (!request?.answer || !token) return false;
    return (await models.sessions.verify(token, now))?.id === request.answer.sessionId;
  }
  return async function requireDecider(ctx, next) {
    if (await isDecider(ctx)) return next();
    ctx.status = 400;
    respondErrorPage(ctx, {
      error: 'invalid_request',
      error_description: 'The request has expired, or was answered in another session',
    });
  };
}
