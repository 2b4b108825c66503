/** What keeps a server from being used, by the panel's own view of it, for which no node is asked. */
import { z } from 'zod';
import { createCache } from '../../models/support/cache.ts';
import type { LocatedServer } from '../../routers/panel-port.ts';
import type { FailureKind } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { expecting, parseBody } from './panel-api.ts';
import type { ServerApi } from './server-api.ts';

const flag = z.boolean().catch(false);

const View = z.object({
  attributes: z.object({
    status: z.string().nullable().catch(null),
    is_suspended: flag,
    is_node_under_maintenance: flag,
    is_installing: flag,
    is_transferring: flag,
  }),
});

interface Condition {
  /** Null: nothing. */
  kind: FailureKind | null;
}

/** At most seconds old. */
export function createServerConditions(api: ServerApi, settings: PanelSettings) {
  const cache = createCache<LocatedServer, Condition>({
    keyOf: ({ identifier }) => identifier,
    clock: settings.clock,
    entriesMax: settings.liveStatesMax,
    load: (server, requestId) =>
      api.send({ server, requestId, needsNode: false }, expecting([200], 'Server', parseCondition)),
  });
  return async (server: LocatedServer, requestId: string) =>
    (await cache.get(server, { requestId, ageMsMax: settings.liveTtlMs })).kind;
}

function parseCondition(body: unknown): Condition {
  const { status, ...is } = parseBody(View, body).attributes;
  // In the order in which the panel looks.
  if (is.is_suspended) return { kind: 'suspended' };
  if (is.is_node_under_maintenance) return { kind: 'maintenance' };
  if (is.is_installing) return { kind: 'installing' };
  if (status === 'restoring_backup') return { kind: 'restoring' };
  return { kind: is.is_transferring ? 'transferring' : null };
}
