/** Finds out who is signed in, and gives procedures the means to sign somebody in or out. It decides nothing. */
import type { Middleware } from '../../bridge/request-state.ts';
import type { Models } from '../../models/index.ts';
import type { Clock } from '../../routers/ports.ts';
import { createSessionCookie } from './session-cookie.ts';

interface ReadSessionParts {
  models: Models;
  clock: Clock;
  isHttps: boolean;
}

export function createReadSession({ models, clock, isHttps }: ReadSessionParts): Middleware {
  return async function readSession(ctx, next) {
    const { token, keepToken, dropToken } = createSessionCookie(ctx, { isHttps });
    ctx.state.browser = { address: ctx.state.address, keepToken, dropToken };
    ctx.state.session = token ? await models.sessions.verify(token, new Date(clock())) : null;
    await next();
  };
}
