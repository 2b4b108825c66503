/**
 * Lets only the account page itself call its procedures: a page of another origin could otherwise use the visitor's
 * cookie (CSRF), where SameSite does not keep it from doing so.
 */
import type { Middleware, RequestContext, RequestState } from '../../bridge/request-state.ts';
import { rpcEnvelope } from '../../bridge/rpc-answer.ts';
import { ApiError, badRequest } from '../../routers/errors.ts';

export function createDoor({ publicUrl }: { publicUrl: string | undefined }): Middleware {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  return async function door(ctx, next) {
    const cost = ctx.path.split(/,|%2c/i).length;
    Object.assign(ctx.state, { via: 'account', envelope: rpcEnvelope, cost } satisfies Partial<RequestState>);
    ctx.set('Cache-Control', 'no-store');
    if (!isOwnPage(ctx, publicOrigin)) throw foreignOrigin();
    if (ctx.state.method === 'POST' && !ctx.is('application/json'))
      throw badRequest('Content-Type must be application/json');
    await next();
  };
}

/**
 * Browsers say where a request comes from in Sec-Fetch-Site, which no page can change; on plain HTTP they send only
 * Origin, and that only with what can change something.
 */
function isOwnPage(ctx: RequestContext, publicOrigin: string | undefined): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site) return site === 'same-origin';
  const origin = ctx.get('Origin');
  if (!origin) return ctx.state.method === 'GET' || ctx.state.method === 'HEAD';
  // A configured address is the only one: the Host header is the client's word.
  return origin === (publicOrigin ?? `${ctx.protocol}://${ctx.host}`);
}

const foreignOrigin = () =>
  new ApiError('forbidden_origin', 'Only the account page itself may call its procedures');
