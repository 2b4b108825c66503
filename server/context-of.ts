/** Gives procedures who calls and what they may reach. */
import type { ContextOf } from '../bridge/http/request-state.ts';
import type { Context } from '../routers/context.ts';
import { createAccountLimits } from './account/account-limits.ts';
import { createSingleSignOn } from './account/single-sign-on.ts';
import type { Parts } from './parts.ts';

export function createContextOf(
  { models, panel, clock, log, config, shared = null }: Omit<Parts, 'router'>,
  own: Pick<Context, 'callLimit' | 'openApiDocument' | 'offeredScopes' | 'hasApps'>,
): ContextOf {
  const { callLimit, openApiDocument, offeredScopes, hasApps } = own;
  const accountLimits = createAccountLimits(shared);
  const { hasPasswordSignIn = true, identityProvider } = config;
  const singleSignOn = identityProvider ? createSingleSignOn(identityProvider, log) : null;
  // Listed by hand: it is made at every call, and a spread costs a hundred times as much.
  return ({ caller, keyRefusal, session, browser, requestId, baseUrl }) => ({
    caller,
    keyRefusal,
    session,
    browser,
    requestId,
    models,
    panel,
    clock,
    accountLimits,
    singleSignOn,
    offeredScopes,
    hasPasswordSignIn,
    hasApps,
    callLimit,
    openApiDocument,
    baseUrl,
  });
}
