/** The servers of an owner, panel user 7, and a second process besides the one that a test calls. */
import type { panelServer } from './panel/attributes.ts';
import { createHealthyConditions } from './panel/emulated-panel.ts';
import { startTestService, type TestService } from './service.ts';

/** Another service on the same database and panel, like a second process; call `leave()` in `after`. */
export function startBeside(
  { databaseUri, panel }: TestService,
  given: Parameters<typeof startTestService>[0] = {},
): Promise<TestService> {
  const { url, applicationKey, clientKey } = panel;
  const options = { rateLimitPerMinute: 1_000_000, databaseUri, ...given };
  return startTestService({ ...options, panel: { url, applicationKey, clientKey } });
}

/** Resets the panel to a healthy state without calls of earlier tests, and gives the owner these servers. */
export function resetPanel(
  { panel, clock }: TestService,
  servers: readonly ReturnType<typeof panelServer>[],
): void {
  panel.recover();
  panel.forget();
  const { runStates, consoleLines, backups, schedules, startups } = panel;
  for (const state of [runStates, consoleLines, backups, schedules, startups]) state.clear();
  Object.assign(panel.conditions, createHealthyConditions());
  panel.servers.set(7, [...servers]);
  panel.servers.set(8, []);
  clock.advance(600_000); // past every cache, open circuit and Retry-After
}
