/**
 * What shuts a customer out of a server: its host has suspended it, or it is in the midst of something. Pelican lets the key
 * of an administrator through to files and sockets all the same, so that it is judged here, before a node is asked.
 */
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

/** By the list of servers, which is seconds old where more than a state is asked for; null: nothing. */
export const listedCondition = ({ isSuspended, status }: OwnedServer): FailureKind | null =>
  isSuspended ? 'suspended' : (kindByStatus.get(status) ?? null);

const flag = z.boolean().catch(false);

/** Of the panel's own view of a server, for which it asks no node, what its lists do not tell. */
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
    /** To be called before a socket to a node is used. @throws {PanelFailure} with the reason */
    refuse: requireAvailable,
    /** To be called before the panel is asked for files, or given a command: Pterodactyl judges the rest by itself. */
    requireAvailableForCall: async (server: OwnedServer, requestId: string): Promise<void> =>
      server.acceptsCommandsWhenOff ? requireAvailable(server, requestId) : requireAvailableByList(server),
  };
}

const requireAvailableByList = (server: OwnedServer): void => requireNoCondition(listedCondition(server));

function requireNoCondition(kind: FailureKind | null) {
  if (kind) throw new PanelFailure(kind, { reason: 'by the list or the view of the server' });
}

/** The same API, for calls that are made for nobody who is shut out. */
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
