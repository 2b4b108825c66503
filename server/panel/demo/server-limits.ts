/** Limits that a panel counts for each server, whoever calls: what it refuses counts, too. */
import { type PanelAnswer, refusal } from './answers.ts';
import type { EmulatedPanel, ServerLimit } from './emulated-panel.ts';
import type { ServerCall } from './server-call.ts';

const limits: Record<ServerLimit, { most: number; windowMs: number }> = {
  websocket: { most: 5, windowMs: 60_000 },
  restore: { most: 3, windowMs: 900_000 },
  backups: { most: 2, windowMs: 600_000 },
};

const routesWithLimits: Partial<Record<string, ServerLimit>> = {
  'GET websocket': 'websocket',
  'POST backup/restore': 'restore',
};

interface Count {
  headers: Record<string, string>;
  isUsedUp: boolean;
  /** Whole seconds. */
  retryAfter: string;
}

/** Null: this panel has no such limit. */
export function countTowards(limit: ServerLimit, { server }: ServerCall, panel: EmulatedPanel): Count | null {
  if (!panel.conditions.serverLimits.has(limit)) return null;
  const { most, windowMs } = limits[limit];
  const key = `${limit} ${server.identifier}`;
  const now = panel.clock();
  const last = panel.limitWindows.get(key);
  const window = last && now < last.endsAt ? last : { endsAt: now + windowMs, used: 0 };
  const isUsedUp = window.used >= most;
  if (!isUsedUp) window.used += 1;
  panel.limitWindows.set(key, window);
  const left = { 'X-RateLimit-Limit': String(most), 'X-RateLimit-Remaining': String(most - window.used) };
  return { headers: left, isUsedUp, retryAfter: String(Math.ceil((window.endsAt - now) / 1000)) };
}

/** The answer within the limit of its route, whose headers it has in place of the API's own. */
export function withinLimit(
  route: string,
  call: ServerCall,
  { panel, answer }: { panel: EmulatedPanel; answer(): PanelAnswer },
): PanelAnswer {
  const limit = routesWithLimits[route];
  const count = limit ? countTowards(limit, call, panel) : null;
  if (!count) return answer();
  const { headers, isUsedUp, retryAfter } = count;
  const { headers: others, ...given } = isUsedUp ? tooMany(retryAfter) : answer();
  return { ...given, headers: { ...others, ...headers } };
}

const tooMany = (retryAfter: string): PanelAnswer => ({
  ...refusal(429, 'ThrottleRequestsException', 'Too Many Attempts.'),
  headers: { 'Retry-After': retryAfter },
});
