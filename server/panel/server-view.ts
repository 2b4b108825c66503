/** What keeps a server from being used, by the panel's own view of it, for which no node is asked. */
import { z } from 'zod';
import { createCache } from './cache.ts';
import type { FailureKind } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { expecting, type PanelApiClient, parseBody, serverPath } from './panel-api.ts';

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
export function createServerConditions(api: PanelApiClient, settings: PanelSettings) {
  const cache = createCache<string, Condition>({
    clock: settings.clock,
    entriesMax: settings.liveStatesMax,
    load: (identifier, requestId) =>
      api.send({ path: serverPath(identifier), requestId }, expecting([200], 'Server', parseCondition)),
  });
  return async (identifier: string, requestId: string) =>
    (await cache.get(identifier, { requestId, ageMsMax: settings.liveTtlMs })).kind;
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
