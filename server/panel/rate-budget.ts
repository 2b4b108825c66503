/**
 * Keeps a share of the panel's rate limit for power and other writes. The panel counts all our calls of one API
 * together and tells what is left with each response; reads stop while only the reserve is left.
 */
import type { Clock } from '../../routers/ports.ts';
import type { PanelResponse } from './response.ts';

/** Both panels count by the minute, in fixed windows. */
const windowMs = 60_000;

/** Until the first response: the smallest default of the panels' APIs, so that a burst at the start is bounded too. */
const assumedLimit = 240;

interface KnownLimit {
  limit: number;
  remaining: number;
  at: number;
}

interface RateBudgetOptions {
  clock: Clock;
  /** The share of the limit that reads leave. */
  reservedShare: number;
}

export function createRateBudget({ clock, reservedShare }: RateBudgetOptions) {
  let known: KnownLimit | null = { limit: assumedLimit, remaining: assumedLimit, at: clock() };
  let pending = 0;

  return {
    /** Whether a read may use the panel now. Always true where the panel does not tell its limit. */
    allowsReads() {
      if (!known) return true;
      const { limit, remaining, at } = known;
      const ageMs = clock() - at;
      const left = ageMs >= 0 && ageMs < windowMs ? remaining : limit;
      return left - pending > limit * reservedShare;
    },
    /** Counts a call while it is pending, and reads from its response what is left. */
    async track(call: () => Promise<PanelResponse>): Promise<PanelResponse> {
      pending += 1;
      try {
        const response = await call();
        known = response.rateLimit && { ...response.rateLimit, at: clock() };
        return response;
      } finally {
        pending -= 1;
      }
    },
  };
}
