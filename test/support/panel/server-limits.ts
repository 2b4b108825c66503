/** A panel's limits on some calls for one server. */
import { type PanelAnswer, refusal } from '../../../server/panel/demo/answers.ts';
import { limitHeaders } from './answers.ts';
import type { EmulatedCall, EmulatedPanel, ServerLimit } from './emulated-panel.ts';

/** Limits that a panel counts per server for all callers, including refused calls. */
const limits: Partial<Record<string, [name: ServerLimit, most: number, windowMs: number]>> = {
  'GET websocket': ['websocket', 5, 60_000],
  'POST backups/:id/restore': ['restore', 3, 900_000],
  'POST backups': ['backups', 2, 600_000],
  'POST schedules': ['schedules', 2, 60_000],
  'POST files/pull': ['pulls', 10, 300_000],
};

/** The answer within the limit of its route, whose headers replace those of the API. */
export function withinLimit(
  route: string,
  { attributes }: EmulatedCall,
  { panel, answer }: { panel: EmulatedPanel; answer(): PanelAnswer },
): PanelAnswer {
  const [name, most, windowMs] = limits[route] ?? [];
  if (!name || !most || !windowMs || !panel.conditions.serverLimits.has(name)) return answer();
  // Pterodactyl counts pulls by its own user.
  const key = name === 'pulls' ? name : `${name} ${attributes.identifier}`;
  const now = panel.clock();
  const last = panel.limitWindows.get(key);
  const window = last && now < last.endsAt ? last : { endsAt: now + windowMs, used: 0 };
  panel.limitWindows.set(key, window);
  window.used += 1;
  const isUsedUp = window.used > most;
  const isThrottle = name !== 'backups';
  const code = isThrottle ? 'ThrottleRequestsException' : 'TooManyRequestsHttpException';
  const { headers, ...given } = isUsedUp ? refusal(429, code) : answer();
  const wait = isUsedUp && { 'Retry-After': String(Math.ceil((window.endsAt - now) / 1000)) };
  const left = isThrottle && limitHeaders({ limit: most, remaining: Math.max(most - window.used, 0) });
  return { ...given, headers: { ...headers, ...left, ...wait } };
}
