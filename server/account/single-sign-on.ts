/** Single sign-on at the host's identity provider: OpenID Connect's code flow with PKCE, state and nonce, by openid-client. */
import pLimit from 'p-limit';
import { ApiError, identityProviderAway, identityRefused, overloaded } from '../../routers/errors.ts';
import { lazy } from '../../routers/lazy.ts';
import type { SingleSignOn } from '../../routers/ports.ts';
import type { Log } from '../observability/log.ts';
import { connectProvider, type Provider } from './identity-provider.ts';

export interface SingleSignOnOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  createsUsers: boolean;
}

/** Sign-ins that wait for the provider at once, and how many more may queue; beyond it 503. */
const pendingMax = { atOnce: 20, queued: 80 };

export function createSingleSignOn(options: SingleSignOnOptions, log: Log): SingleSignOn {
  const limit = pLimit(pendingMax.atOnce);
  const load = lazy(() => connectProvider(options));
  /** Runs one exchange with the provider; whatever it throws is logged and becomes a refusal for the user. */
  async function ask<Answer>(question: (provider: Provider) => Promise<Answer>): Promise<Answer> {
    if (limit.activeCount + limit.pendingCount >= pendingMax.atOnce + pendingMax.queued) throw overloaded();
    try {
      return await limit(async () => question(await load()));
    } catch (failure) {
      if (failure instanceof ApiError) throw failure;
      log.warn({ failure: describe(failure) }, 'Single sign-on failed');
      throw refusalOf(failure);
    }
  }
  return {
    name: options.name,
    createsUsers: options.createsUsers,
    start: (redirectUri) => ask((provider) => provider.start(redirectUri)),
    finish: (callbackUrl, flow) => ask((provider) => provider.finish(callbackUrl, flow)),
    signOutUrl: (returnTo) => ask(async (provider) => provider.signOutUrl(returnTo)),
  };
}

/** Without bodies, tokens and codes, which may stand in an error's cause. */
function describe(failure: unknown) {
  if (!(failure instanceof Error)) return { name: typeof failure };
  const { name, message } = failure;
  return { name, message, code: 'code' in failure ? failure.code : undefined, error: errorOf(failure) };
}

/** OAuth's own code of an error answer, such as access_denied. */
const errorOf = (failure: object) => ('error' in failure ? failure.error : undefined);

const httpErrorMin = 500;

function refusalOf(failure: unknown): ApiError {
  if (!(failure instanceof Error)) return identityProviderAway(failure);
  if (errorOf(failure) === 'access_denied') return identityRefused('denied');
  // openid-client gives an unexpected response as the cause.
  const status = failure.cause instanceof Response ? failure.cause.status : undefined;
  const isAnswer = 'code' in failure && typeof failure.code === 'string' && /^OAUTH_/.test(failure.code);
  const isOutage = status !== undefined && status >= httpErrorMin;
  return isAnswer && !isOutage ? identityRefused('invalid') : identityProviderAway(failure);
}
