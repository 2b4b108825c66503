/** Refuses a path that belongs to no mount; says so where MCP clients look for a sign-in that there is not. */
import type { RequestContext } from '../../bridge/http/request-state.ts';
import { ApiError, notFound } from '../../routers/errors.ts';
import { accountPrefix } from '../account/account.ts';

export const createRefusePath = ({ hasApps }: { hasApps: boolean }) =>
  function refusePath({ state: { path } }: RequestContext): never {
    if (!hasApps && isOAuthPath.test(path)) throw new ApiError('not_found', noOAuth);
    throw notFound('Page');
  };

/** Where MCP clients look for a way to sign in, after a 401 without one. */
const isOAuthPath = /^\/(\.well-known\/(oauth-|openid-)|(register|authorize|token)$)/;

const noOAuth = `Page not found: there is no sign-in by OAuth. Send an API key as "Authorization: Bearer <API_KEY>"; keys are created at ${accountPrefix}`;
