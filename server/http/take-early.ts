/**
 * Takes a call from the limit in Redis while MongoDB looks up its key, as each is a round trip. It does so for keys that this
 * process has verified before; if the key is no longer valid, the call is given back.
 */
import type { Middleware, Protocol } from '../../bridge/http/request-state.ts';
import type { Models } from '../../models/index.ts';
import { readSecret } from './authenticate.ts';
import type { RateLimit } from './rate-limit.ts';

export type TakeEarly = ReturnType<typeof createTakeEarly>;

export const createTakeEarly =
  ({ apiKeys }: Pick<Models, 'apiKeys'>, { takeEarly }: Pick<RateLimit, 'takeEarly'>) =>
  ({ isOneCall }: Pick<Protocol, 'isOneCall'>): Middleware | null =>
    isOneCall
      ? function takeCallEarly(ctx, next) {
          const { secret } = readSecret(ctx.req);
          const key = secret !== null && isOneCall(ctx.state) ? apiKeys.recall(secret) : null;
          if (key) takeEarly(ctx.state, key);
          return next();
        }
      : null;
