/** Limits what an address may ask of the authorization server, whose callers have no key and no session. */
import type { Middleware } from '../../bridge/http/request-state.ts';
import { tooManyRequests } from '../../routers/errors.ts';
import { networkOf } from '../http/client.ts';
import { createWindow } from '../limit/window.ts';
import type { SharedRedis } from '../redis.ts';

const minuteSeconds = 60;

export function createLimitAddress(shared: SharedRedis | null) {
  const limit = (name: string, max: number, seconds: number): Middleware => {
    const window = createWindow({ name: `oauth:${name}`, max, seconds, shared });
    return async function limitAddress({ state }, next) {
      if (state.method === 'OPTIONS') return next();
      const { fits, secondsLeft } = await window(networkOf(state.address)).count();
      if (!fits) throw tooManyRequests(secondsLeft);
      return next();
    };
  };
  return {
    authorize: limit('authorize', 30, minuteSeconds),
    resume: limit('resume', 60, minuteSeconds),
    token: limit('token', 60, minuteSeconds),
    register: limit('register', 10, 60 * minuteSeconds),
  };
}
