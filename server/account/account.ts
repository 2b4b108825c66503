/** The account page at /account: its files, and the procedures that its sessions call. */
import { readSessionOperations } from '../../bridge/operations.ts';
import type { Brand } from '../../bridge/pages/brand.ts';
import type { RequestContext } from '../../bridge/protocol.ts';
import { createSessionTrpc } from '../../bridge/trpc/trpc.ts';
import type { Models } from '../../models/index.ts';
import { accountPageRouter } from '../../routers/account/index.ts';
import { imageOriginsOf } from '../../routers/account/server-game.ts';
import { ApiError, badRequest } from '../../routers/errors.ts';
import type { Clock } from '../../routers/ports.ts';
import type { Scope } from '../../routers/scopes.ts';
import type { Config } from '../config.ts';
import { createPage } from './page.ts';
import { createReadSession, originOf } from './read-session.ts';

export const accountPrefix = '/account';

export const accountTrpcPrefix = `${accountPrefix}/trpc`;

interface AccountDeps {
  models: Models;
  clock: Clock;
  offeredScopes: readonly Scope[];
  brand: Brand;
  publicUrl: string | undefined;
  config: Config;
}

export function createAccount(deps: AccountDeps) {
  const { publicUrl, offeredScopes, brand, models } = deps;
  return {
    page: createPage({
      prefix: accountPrefix,
      brand,
      listImageOrigins: async () => imageOriginsOf(await models.games.listActive()),
    }),
    trpc: createSessionTrpc(readSessionOperations(accountPageRouter, offeredScopes), {
      prefix: accountTrpcPrefix,
      requireSameOrigin: createRequireSameOrigin({ publicUrl }),
    }),
    authenticate: createReadSession(deps),
  };
}

/**
 * Only the account page itself may call its procedures: another origin could otherwise use the visitor's cookie (CSRF)
 * where SameSite does not prevent it.
 * @throws forbidden_origin, or bad_request for a content type that another page's form could send
 */
function createRequireSameOrigin({ publicUrl }: { publicUrl: string | undefined }) {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  return function requireSameOrigin(ctx: RequestContext): void {
    if (!isSameOrigin(ctx, publicOrigin)) throw foreignOrigin();
    if (ctx.state.request.method === 'POST' && !ctx.is('application/json'))
      throw badRequest('Content-Type must be application/json');
  };
}

/**
 * Browsers report the source of a request in Sec-Fetch-Site, which no page can change. Over plain HTTP they send only
 * Origin, and only with requests that can change something.
 */
function isSameOrigin(ctx: RequestContext, publicOrigin: string | undefined): boolean {
  const site = ctx.get('Sec-Fetch-Site');
  if (site) return site === 'same-origin';
  const origin = ctx.get('Origin');
  if (!origin) return ctx.state.request.method === 'GET' || ctx.state.request.method === 'HEAD';
  // The client controls the Host header, so a configured address takes precedence.
  return origin === (publicOrigin ?? originOf(ctx));
}

const foreignOrigin = () =>
  new ApiError('forbidden_origin', 'Only the account page itself may call its procedures');
