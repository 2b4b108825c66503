/** Finds what shuts a customer out of a server. It is checked before calls, because Pelican lets an administrator's key through. */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import type { OwnedServer } from '../../routers/panel-port.ts';
import { type FailureKind, PanelFailure } from './failures.ts';
import { expecting, parseBody } from './panel-api.ts';
import { keptServersMax } from './panel-call.ts';
import { liveTtlMs } from './reads.ts';
import type { ServerApi } from './server-api.ts';
import type { PanelSettings } from './settings.ts';

const kindByStatus = new Map<string | null, FailureKind>([
  ['installing', 'installing'],
  ['install_failed', 'installFailed'],
  ['reinstall_failed', 'installFailed'],
  ['restoring_backup', 'restoring'],
]);

/** From the list of servers, which is only seconds old if the caller requests more than a state. Null: no condition. */
export const listedCondition = ({ isSuspended, status }: OwnedServer): FailureKind | null =>
  isSuspended ? 'suspended' : (kindByStatus.get(status) ?? null);

const flag = z.boolean().catch(false);

/** The panel's own view of a server, which needs no node: the conditions that its lists do not show. */
const View = z.object({ attributes: z.object({ is_node_under_maintenance: flag, is_transferring: flag }) });

export type ServerCondition = ReturnType<typeof createServerCondition>;

export function createServerCondition(api: ServerApi, settings: PanelSettings) {
  const views = createCache<OwnedServer, ReturnType<typeof parseCondition>>({
    keyOf: ({ identifier }) => identifier,
    clock: settings.clock,
    entriesMax: keptServersMax,
    load: (server, requestId) =>
      api.send({ server, requestId, needsNode: false }, expecting([200], 'Server', parseCondition)),
  });

  async function requireAvailable(server: OwnedServer, requestId: string): Promise<void> {
    requireAvailableByList(server);
    requireNoCondition((await views.get(server, { requestId, ageMsMax: liveTtlMs })).kind);
  }

  return {
    refuseListed: requireAvailableByList,
    refuse: requireAvailable,
    /** Pterodactyl itself checks the conditions that its lists do not show. */
    requireAvailableForCall: async (server: OwnedServer, requestId: string): Promise<void> =>
      server.acceptsCommandsWhenOff ? requireAvailable(server, requestId) : requireAvailableByList(server),
  };
}

/** For the calls that can repair a server whose installation failed: the panel decides about them. */
export const afterFailedInstallation = (server: OwnedServer): OwnedServer =>
  listedCondition(server) === 'installFailed' ? { ...server, status: null } : server;

const requireAvailableByList = (server: OwnedServer): void => requireNoCondition(listedCondition(server));

/** From the panel's own view of the server. */
export const requireAvailableByView = (body: unknown): void => requireNoCondition(parseCondition(body).kind);

function requireNoCondition(kind: FailureKind | null) {
  if (kind) throw new PanelFailure(kind, { reason: 'according to the list or the view of the server' });
}

export const withConditionCheck = (
  api: ServerApi,
  { requireAvailableForCall }: ServerCondition,
): ServerApi => ({
  ...api,
  async send(call, read) {
    await requireAvailableForCall(call.server, call.requestId);
    return api.send(call, read);
  },
});

function parseCondition(body: unknown): { kind: FailureKind | null } {
  const is = parseBody(View, body).attributes;
  return { kind: is.is_node_under_maintenance ? 'maintenance' : is.is_transferring ? 'transferring' : null };
}
