/** Reads the session cookie into the request state, and lets procedures set or clear cookies. It refuses nothing. */
import type { Middleware, RequestContext } from '../../bridge/http/request-state.ts';
import type { Models } from '../../models/index.ts';
import type { Browser } from '../../routers/context.ts';
import type { Clock } from '../../routers/ports.ts';
import { createCookie } from './cookie.ts';
import { deviceOf } from './device.ts';

interface ReadSessionParts {
  models: Models;
  clock: Clock;
  publicUrl: string | undefined;
}

/** How long a user may take to sign in at the identity provider. */
const flowLifetimeMs = 10 * 60_000;

export function createReadSession({ models, clock, publicUrl }: ReadSessionParts): Middleware {
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  const isHttps = publicUrl?.startsWith('https:') ?? false;
  async function findSession(ctx: RequestContext): Promise<void> {
    const { state } = ctx;
    const cookie = createCookie(ctx, { name: 'gamehost_session', isHttps });
    const flow = createCookie(ctx, { name: 'gamehost_sso', isHttps });
    const browser: Browser = {
      address: state.address,
      origin: publicOrigin ?? originOf(ctx),
      device: deviceOf(ctx.get('User-Agent')),
      setToken: cookie.set,
      clearToken: cookie.clear,
      flow: flow.value,
      setFlow: (value) => flow.set(value, new Date(clock() + flowLifetimeMs)),
      clearFlow: flow.clear,
      auditAs: (userId) => {
        state.auditedUserId = userId;
      },
    };
    state.browser = browser;
    state.session = cookie.value ? await models.sessions.verify(cookie.value, new Date(clock())) : null;
    if (state.session) browser.auditAs(state.session.user._id);
  }
  return async function readSession(ctx, next) {
    ctx.state.authenticate = findSession;
    await findSession(ctx);
    await next();
  };
}

/** The Host header is the client's claim, so a configured address wins over this. */
export const originOf = ({ protocol, host }: Pick<RequestContext, 'protocol' | 'host'>) =>
  `${protocol}://${host}`;
