/** A panel client on a stand-in panel, with a movable clock, fast retries and a recorded log. */
import { expect } from 'chai';
import { ApiError } from '../../../routers/errors.ts';
import type { OwnedServer, Panel, PanelServer } from '../../../routers/panel-port.ts';
import type { PanelTunables } from '../../../server/panel/options.ts';
import { createPterodactylPanel } from '../../../server/panel/pterodactyl.ts';
import { panelServer } from '../../support/panel/attributes.ts';
import { startStandInPanel } from '../../support/stand-in-panel.ts';
import { useForEach } from '../../support/use-started.ts';

export const ownerId = 7;
export const identifier = 'a1b2c3d4';

const place = { nodeId: 1, ownerId, acceptsCommandsWhenOff: false, status: null, isSuspended: false };

export const located = (server: string, changed: Partial<PanelServer> = {}) =>
  ({ ...place, ...changed, identifier: server }) as OwnedServer; // these tests decide who owns it

/** Lists the servers of a user, who becomes their owner. */
export const listOwned = async (panel: Panel, userId: number) =>
  (await panel.listServers(userId, 'req-1')).servers as OwnedServer[]; // as routers/servers/owned-server.ts makes them

/** One for each test of a `describe`. */
export const usePanelTest = (tunables?: Partial<PanelTunables>) => useForEach(() => startPanelTest(tunables));

/** The stand-in has one user, `ownerId`, with one server, `identifier`. */
export async function startPanelTest(tunables: Partial<PanelTunables> = {}) {
  const standIn = await startStandInPanel();
  standIn.servers.set(ownerId, [panelServer({ identifier })]);
  let nowMs = Date.parse('2026-05-01T12:00:00Z');
  standIn.useClock(() => nowMs);
  const logged: { level: string; fields: object; message: string }[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    logged.push({ level, fields, message });
  function createClient(changed: Partial<PanelTunables & { url: string; publicUrl: string }> = {}) {
    const panel = createPterodactylPanel({
      url: standIn.url,
      applicationKey: standIn.applicationKey,
      clientKey: standIn.clientKey,
      kind: 'pterodactyl',
      clock: () => nowMs,
      log: { error: write('error'), warn: write('warn') },
      retryDelayMs: 1,
      ...tunables,
      ...changed,
    });
    return {
      panel,
      list: (userId = ownerId) => listOwned(panel, userId),
      power: (server = identifier) => panel.sendPower(located(server), 'restart', 'req-1'),
    };
  }
  return {
    standIn,
    logged,
    ...createClient(),
    createClient,
    advance(ms: number) {
      nowMs += ms;
    },
    now: () => nowMs,
    stop: () => standIn.stop(),
  };
}

/** The ApiError a call is rejected with; fails when it succeeds or throws anything else. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const outcome = await call.then(
    () => 'the call succeeded',
    (error: unknown) => error,
  );
  expect(outcome).to.be.instanceOf(ApiError);
  return outcome as ApiError; // asserted above
}

export function createHold() {
  let release = () => {};
  const after = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { after, release: () => release() };
}
