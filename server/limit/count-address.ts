/** Counts what visitors do by their address, in windows of time. */
import { tooManyRequests } from '../../routers/errors.ts';
import { networkOf } from '../http/request.ts';
import type { Limiter, Window } from './limiter.ts';

/** How many times the limit of a /64 all of an IPv6 /48 may use, which is one site at many providers. */
const siteFactor = 10;

/** Of an IPv4 address or an IPv6 /64, and ten times as many of a /48. What it returns throws rate_limited. */
export function createCountAddress(limiter: Limiter, window: Window) {
  const site = { ...window, name: `${window.name}:site`, max: window.max * siteFactor };
  return async function countAddress(address: string): Promise<void> {
    for (const [counted, network] of [
      [window, networkOf(address)],
      [site, networkOf(address, 48)],
    ] as const) {
      const { fits, secondsLeft } = await limiter.consume(counted, network, 1);
      if (!fits) throw tooManyRequests(secondsLeft);
    }
  };
}
