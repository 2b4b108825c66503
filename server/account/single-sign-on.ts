/** Single sign-on at the host's identity provider: who may start and finish one, and what is logged and refused. */
import { createHmac, randomBytes } from 'node:crypto';
import { loggedLengthMax } from '../../models/bounds.ts';
import { minuteSeconds } from '../../models/support/durations.ts';
import { Queue, type QueueOptions } from '../../models/support/queue.ts';
import { ApiError, identityProviderUnavailable, identityRefused, overloaded } from '../../routers/errors.ts';
import type { Clock, SingleSignOn } from '../../routers/ports.ts';
import { cut } from '../../routers/schemas/text.ts';
import { lazy } from '../../routers/support/memoize.ts';
import { createRequestLimit } from '../limit/addresses.ts';
import type { Limiter, Window } from '../limit/limiter.ts';
import type { Log } from '../observability/log.ts';
import { type Checks, connectProvider, type Provider, type ProviderOptions } from './identity-provider.ts';

interface SingleSignOnOptions extends ProviderOptions {
  name: string;
}

interface SingleSignOnDeps {
  log: Log;
  limiter: Limiter;
  clock: Clock;
}

const finishing: QueueOptions = { runningMax: 20, waitingMax: 80, createError: overloaded };

export function createSingleSignOn(
  options: SingleSignOnOptions | null,
  { log, ...deps }: SingleSignOnDeps,
): SingleSignOn | null {
  if (options === null) return null;
  const queue = new Queue(finishing);
  const load = lazy(() => connectProvider(options));
  const flows = createFlows(options.clientSecret, deps);
  /** Logs a failure, and throws the refusal that the user sees. */
  async function withProvider<Result>(call: (provider: Provider) => Promise<Result>): Promise<Result> {
    try {
      return await call(await load());
    } catch (failure) {
      if (failure instanceof ApiError) throw failure;
      log.warn({ failure: describe(failure) }, 'Single sign-on failed');
      throw refusalOf(failure);
    }
  }
  return {
    name: options.name,
    createsUsers: options.createsUsers,
    async start(redirectUri, address) {
      const { checks, ...begun } = await flows.begin(address);
      const url = await withProvider((provider) => provider.start(redirectUri, checks));
      return { ...begun, url, state: checks.expectedState };
    },
    finish: (callbackUrl, flow) =>
      queue.run(async () => {
        const checks = await flows.finish(flow, callbackUrl.searchParams.get('state'));
        return withProvider((provider) => provider.finish(callbackUrl, checks));
      }),
    signOutUrl: (returnTo) => withProvider(async (provider) => provider.signOutUrl(returnTo)),
  };
}

const flowSeconds = 10 * minuteSeconds;

/** Sign-ins that an address may begin. */
export const signInStarts: Window = { name: 'sign-on', max: 30, seconds: minuteSeconds };

/**
 * A browser keeps a random text from the start of a sign-in to its end. Everything that the provider must repeat is
 * derived from it with our secret. So a sign-in that we did not start never reaches the provider, and one that we
 * started does so once.
 */
function createFlows(secret: string, { limiter, clock }: Pick<SingleSignOnDeps, 'limiter' | 'clock'>) {
  const countBeginning = createRequestLimit(limiter, signInStarts);
  const uses = { name: 'sign-on:use', max: 1, seconds: flowSeconds };
  const derive = (use: string, flow: string) =>
    createHmac('sha256', secret).update(`${use} ${flow}`).digest('base64url');
  const checksOf = (flow: string): Checks => ({
    expectedState: derive('state', flow),
    expectedNonce: derive('nonce', flow),
    pkceCodeVerifier: derive('verifier', flow),
  });
  return {
    async begin(address: string) {
      await countBeginning(address);
      const expiresAt = new Date(clock() + flowSeconds * 1000);
      const flow = `${expiresAt.getTime()}.${randomBytes(32).toString('base64url')}`;
      return { flow, expiresAt, checks: checksOf(flow) };
    },
    /** @throws identityRefused if the flow has another state, has ended, or was used */
    async finish(flow: string, state: string | null): Promise<Checks> {
      const checks = checksOf(flow);
      const isLive = Number.parseInt(flow, 10) > clock();
      if (state !== checks.expectedState || !isLive) throw identityRefused('expired');
      if (!(await limiter.consume(uses, state, 1)).fits) throw identityRefused('expired');
      return checks;
    },
  };
}

/** Omits bodies, tokens and codes, which may be in an error's cause. */
function describe(failure: unknown) {
  if (!(failure instanceof Error)) return { name: typeof failure };
  const { name, message } = failure;
  const code = 'code' in failure ? failure.code : undefined;
  return { name, message, code, error: errorOf(failure), issuers: issuersOf(failure) };
}

/** Both issuers, if the provider names another one than the setting. Often only a trailing slash differs. */
function issuersOf({ cause }: Error) {
  const { expected, attribute, body, claim, claims, parameters } = Object(
    cause instanceof Error ? cause.cause : cause,
  );
  const received = [
    attribute === 'issuer' && body.issuer,
    claim === 'iss' && claims.iss,
    parameters instanceof URLSearchParams && parameters.get('iss'),
  ].find((each) => typeof each === 'string');
  return received && { expected, received: cut(received, loggedLengthMax) };
}

/** OAuth's code in an error response, such as access_denied. */
const errorOf = (failure: object) => ('error' in failure ? failure.error : undefined);

function refusalOf(failure: unknown): ApiError {
  if (!(failure instanceof Error)) return identityProviderUnavailable(failure);
  if (errorOf(failure) === 'access_denied') return identityRefused('denied');
  // openid-client puts an unexpected response into the cause.
  const status = failure.cause instanceof Response ? failure.cause.status : undefined;
  const isErrorResponse =
    'code' in failure && typeof failure.code === 'string' && /^OAUTH_/.test(failure.code);
  const isOutage = status !== undefined && status >= 500;
  return isErrorResponse && !isOutage ? identityRefused('invalid') : identityProviderUnavailable(failure);
}
