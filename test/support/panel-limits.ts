/** A panel's own rate limits, per minute and API: all our calls come from one user. */
import type { ServerResponse } from 'node:http';
import { type PanelAnswer, type ReceivedRequest, refusal } from '../../server/panel/demo/answers.ts';
import { type EmulatedPanel, fullRateLimitOf } from './panel/emulated-panel.ts';

export function createLimits(dialect: EmulatedPanel['dialect']) {
  let perMinute: Record<PanelApi, number> | null = null;
  let clock = Date.now;
  const windows = new Map<PanelApi, { endsAt: number; used: number }>();
  return {
    set(limits: Record<PanelApi, number>, now: () => number) {
      perMinute = limits;
      clock = now;
    },
    left(api: PanelApi) {
      const limit = perMinute?.[api];
      if (limit === undefined) return fullRateLimitOf(dialect, api);
      return { limit, remaining: Math.max(limit - (windows.get(api)?.used ?? 0), 0) };
    },
    count({ path }: ReceivedRequest, res: ServerResponse): PanelAnswer | null {
      if (!perMinute) return null;
      const api = path.startsWith('/api/client') ? 'client' : 'application';
      const last = windows.get(api);
      const window = last && clock() < last.endsAt ? last : { endsAt: clock() + 60_000, used: 0 };
      windows.set(api, window);
      window.used += 1;
      res.setHeader('X-RateLimit-Limit', perMinute[api]);
      res.setHeader('X-RateLimit-Remaining', Math.max(perMinute[api] - window.used, 0));
      if (window.used <= perMinute[api]) return null;
      const headers = { 'Retry-After': String(Math.ceil((window.endsAt - clock()) / 1000)) };
      return { ...refusal(429, 'ThrottleRequestsException'), headers };
    },
  };
}

type PanelApi = 'application' | 'client';
