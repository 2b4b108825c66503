/**
 * Lets only the account page itself call its procedures: a page of another origin could otherwise use the visitor's
 * cookie (CSRF) where SameSite does not prevent it.
 */
import type { RequestContext } from '../../bridge/http/request-state.ts';
import { ApiError, badRequest } from '../../routers/errors.ts';
import { originOf } from './read-session.ts';

/** Throws forbidden_origin, or bad_request for a content type that a form of another page could send. */
export function createRequireSameOrigin({ publicUrl }: { publicUrl: string | undefined }) {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  return function requireSameOrigin(ctx: RequestContext): void {
    if (!isSameOrigin(ctx, publicOrigin)) throw foreignOrigin();
    if (ctx.state.method === 'POST' && !ctx.is('application/json'))
      throw badRequest('Content-Type must be application/json');
  };
}

/**
 * Browsers name the source of a request in Sec-Fetch-Site, which no page can change; over plain HTTP they send only
 * Origin, and that only with requests that can change something.
 */
function isSameOrigin(ctx: RequestContext, publicOrigin: string | undefined): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site) return site === 'same-origin';
  const origin = ctx.get('Origin');
  if (!origin) return ctx.state.method === 'GET' || ctx.state.method === 'HEAD';
  // The Host header is the client's claim, so a configured address wins.
  return origin === (publicOrigin ?? originOf(ctx));
}

const foreignOrigin = () =>
  new ApiError('forbidden_origin', 'Only the account page itself may call its procedures');
